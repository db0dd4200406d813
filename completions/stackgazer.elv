
use builtin;
use str;

set edit:completion:arg-completer[stackgazer] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'stackgazer'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'stackgazer'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand summarize 'Say what is in here: a verdict, then a table of goroutines by category'
            cand filter 'Show the goroutines that match, with frames, labels, ids and waits'
            cand name 'Tell what each unique stack is called, in which category, and why'
            cand diff 'Tell what changed from one point in time to the next: new, gone, grown, shrunk'
            cand tree 'Tell who created whom'
            cand export 'Write everything in another format'
            cand config 'Show which settings are in force, or import those of the browser tool'
            cand completions 'Write completions for a shell'
            cand man 'Write the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'stackgazer;summarize'= {
            cand --by 'Count by these keys: category, name, stack, shape, state, kind, wait, input, label:KEY, creator; by all frames: package, function, file, line, module [default: category]'
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;filter'= {
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;name'= {
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --explain 'Tell which rule took which frame'
            cand --unused 'List the rules that did nothing to any stack'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;diff'= {
            cand --by 'What has to be the same for two goroutines to be counted together: shape (the stack without lines and what differs between builds), id, name, category, or any key of summarize'
            cand --min-change 'Changes by less than N goroutines, or P percent of what there was, don''t count'
            cand --fail-on 'Exit with code 1 when anything is one of: new, gone, grown, shrunk; changed is any of them'
            cand --order 'Order of the points'
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --by-input 'Tell the processes of a bundle apart: the same as the key `input` in front of --by'
            cand --normalize 'Scale every point to the total of the first, to compare shares instead of numbers'
            cand --all 'Show rows that didn''t change, too'
            cand --fleet 'Take all inputs as processes of one point'
            cand --series 'Take the members of one directory or archive as points, in natural order of their paths'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;tree'= {
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --whole 'Show whole trees: also what the creators of the selected goroutines created besides'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;export'= {
            cand --member 'Read the members of directories and archives that match this glob instead of the well-known names'
            cand --input-name 'Name an input'
            cand --path-label 'Make labels of the named groups of this regular expression where it matches an input''s path'
            cand --input-format 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...'
            cand --line-prefix 'Cut what this regular expression matches at the start of each line'
            cand --max-bytes 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]'
            cand -j 'Threads to read with [default: one for each core]'
            cand --threads 'Threads to read with [default: one for each core]'
            cand -m 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --match 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored'
            cand --query 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5'''
            cand --state 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells'
            cand --kind 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv'''
            cand --wait 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d'
            cand --label 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold'
            cand --input 'Name of the input'
            cand --category 'Category; `*` stands for slashes too'
            cand --name 'Name of the stack'
            cand --frame 'A frame of the stack, as `func file:line`; with ! in front: no frame'
            cand --created-by 'What created the goroutine, as `func file:line`'
            cand --id 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input'
            cand --where 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold'
            cand --keep 'Show what this expression selects too, although filtered out'
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --strict 'Make an error (2) of everything that was lost or dropped with a warning'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;config'= {
            cand -h 'Print help'
            cand --help 'Print help'
            cand show 'Show the settings in force, and where each comes from'
            cand import 'Turn settings of the browser tool into TOML that means the same'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'stackgazer;config;show'= {
            cand --config 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]'
            cand --rule 'Put a rule in front of a list, as in ''name.skip=runtime.gopark'''
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --no-config 'Read no settings file'
            cand --no-default-rules 'Leave the built-in rules out'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;config;import'= {
            cand -o 'Format; each command''s help lists its own'
            cand --output 'Format; each command''s help lists its own'
            cand --to 'Write to this file instead of stdout: to a temporary file first, then renamed'
            cand --color 'When to use colours'
            cand --value 'Which sample type to show, for profiles that have several'
            cand --sort 'Order of rows'
            cand -n 'Show at most so many rows'
            cand --limit 'Show at most so many rows'
            cand --frames 'How frames are shown in tables and text'
            cand --strict 'Make an error (2) of what the browser tool leaves out or misreads'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;config;help'= {
            cand show 'Show the settings in force, and where each comes from'
            cand import 'Turn settings of the browser tool into TOML that means the same'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'stackgazer;config;help;show'= {
        }
        &'stackgazer;config;help;import'= {
        }
        &'stackgazer;config;help;help'= {
        }
        &'stackgazer;completions'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;man'= {
            cand --dir 'Write a page for the program and one for each command into this folder'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'stackgazer;help'= {
            cand summarize 'Say what is in here: a verdict, then a table of goroutines by category'
            cand filter 'Show the goroutines that match, with frames, labels, ids and waits'
            cand name 'Tell what each unique stack is called, in which category, and why'
            cand diff 'Tell what changed from one point in time to the next: new, gone, grown, shrunk'
            cand tree 'Tell who created whom'
            cand export 'Write everything in another format'
            cand config 'Show which settings are in force, or import those of the browser tool'
            cand completions 'Write completions for a shell'
            cand man 'Write the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'stackgazer;help;summarize'= {
        }
        &'stackgazer;help;filter'= {
        }
        &'stackgazer;help;name'= {
        }
        &'stackgazer;help;diff'= {
        }
        &'stackgazer;help;tree'= {
        }
        &'stackgazer;help;export'= {
        }
        &'stackgazer;help;config'= {
            cand show 'Show the settings in force, and where each comes from'
            cand import 'Turn settings of the browser tool into TOML that means the same'
        }
        &'stackgazer;help;config;show'= {
        }
        &'stackgazer;help;config;import'= {
        }
        &'stackgazer;help;completions'= {
        }
        &'stackgazer;help;man'= {
        }
        &'stackgazer;help;help'= {
        }
    ]
    $completions[$command]
}
