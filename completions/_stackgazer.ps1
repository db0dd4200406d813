
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'stackgazer' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'stackgazer'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'stackgazer' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('summarize', 'summarize', [CompletionResultType]::ParameterValue, 'Say what is in here: a verdict, then a table of goroutines by category')
            [CompletionResult]::new('filter', 'filter', [CompletionResultType]::ParameterValue, 'Show the goroutines that match, with frames, labels, ids and waits')
            [CompletionResult]::new('name', 'name', [CompletionResultType]::ParameterValue, 'Tell what each unique stack is called, in which category, and why')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Tell what changed from one point in time to the next: new, gone, grown, shrunk')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'May this pass? Leak checks, limits, allow-lists and a baseline, for CI')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Tell who created whom')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write everything in another format')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show which settings are in force, or import those of the browser tool')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Write completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'stackgazer;summarize' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Count by these keys: category, name, stack, shape, state, kind, wait, input, label:KEY, creator; by all frames: package, function, file, line, module [default: category; function for profiles that don''t count goroutines]')
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;filter' {
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;name' {
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Tell which rule took which frame')
            [CompletionResult]::new('--unused', '--unused', [CompletionResultType]::ParameterName, 'List the rules that did nothing to any stack')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;diff' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'What has to be the same for two goroutines to be counted together: shape (the stack without lines and what differs between builds), id, name, category, or any key of summarize')
            [CompletionResult]::new('--min-change', '--min-change', [CompletionResultType]::ParameterName, 'Changes by less than N goroutines, or P percent of what there was, don''t count')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with code 1 when anything is one of: new, gone, grown, shrunk; changed is any of them')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Order of the points')
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--by-input', '--by-input', [CompletionResultType]::ParameterName, 'Tell the processes of a bundle apart: the same as the key `input` in front of --by')
            [CompletionResult]::new('--normalize', '--normalize', [CompletionResultType]::ParameterName, 'Scale every point to the total of the first, to compare shares instead of numbers')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Show rows that didn''t change, too')
            [CompletionResult]::new('--fleet', '--fleet', [CompletionResultType]::ParameterName, 'Take all inputs as processes of one point')
            [CompletionResult]::new('--series', '--series', [CompletionResultType]::ParameterName, 'Take the members of one directory or archive as points, in natural order of their paths')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;check' {
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what a check finds, and why; all checks when none is named')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Write a report too, even when the check fails; any number of them. One without a file goes to stdout, behind the table')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Exit with code 1 for findings of this level and above: error, warning or note [default: error]')
            [CompletionResult]::new('--leak-label', '--leak-label', [CompletionResultType]::ParameterName, 'Work that carried this label is over: whatever still carries it has leaked')
            [CompletionResult]::new('--own', '--own', [CompletionResultType]::ParameterName, 'Own code: functions that match; only own code makes errors, libraries make warnings [default: what isn''t of the standard library, the module cache or vendored]')
            [CompletionResult]::new('--max-goroutines', '--max-goroutines', [CompletionResultType]::ParameterName, 'Goroutines of a process, all or of a part: 5000, category=rpc:500, name=GLOB:N, label:KEY=GLOB:N')
            [CompletionResult]::new('--max-growth', '--max-growth', [CompletionResultType]::ParameterName, 'How many more goroutines a process may have at the last point than at the first')
            [CompletionResult]::new('--max-leaked', '--max-leaked', [CompletionResultType]::ParameterName, 'Goroutines of a process that the runtime proved leaked')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'How long a goroutine may have been blocked: 30m, 2h, 1d, or minutes')
            [CompletionResult]::new('--allow', '--allow', [CompletionResultType]::ParameterName, 'Allow what the entries of this file cover; --explain unused-entry tells how it is written')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Allow what was there when this file was written')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Write a baseline of all that is found, and let it pass')
            [CompletionResult]::new('--skip-first', '--skip-first', [CompletionResultType]::ParameterName, 'Leave so many points at the beginning out of trends: the warm-up')
            [CompletionResult]::new('--today', '--today', [CompletionResultType]::ParameterName, 'The day on which entries expire or not [default: today, in UTC]')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Order of the points')
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--at-end', '--at-end', [CompletionResultType]::ParameterName, 'The last point was taken when all work was over: what is still there has leaked')
            [CompletionResult]::new('--no-default-allow', '--no-default-allow', [CompletionResultType]::ParameterName, 'Leave out the built-in catalogue of goroutines that belong there')
            [CompletionResult]::new('--require-leak-profile', '--require-leak-profile', [CompletionResultType]::ParameterName, 'Exit with code 2 unless every point has a goroutineleak profile')
            [CompletionResult]::new('--fleet', '--fleet', [CompletionResultType]::ParameterName, 'Take all inputs as processes of one point')
            [CompletionResult]::new('--series', '--series', [CompletionResultType]::ParameterName, 'Take the members of one directory or archive as points, in natural order of their paths')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;tree' {
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--whole', '--whole', [CompletionResultType]::ParameterName, 'Show whole trees: also what the creators of the selected goroutines created besides')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;export' {
            [CompletionResult]::new('--member', '--member', [CompletionResultType]::ParameterName, 'Read the members of directories and archives that match this glob instead of the well-known names')
            [CompletionResult]::new('--input-name', '--input-name', [CompletionResultType]::ParameterName, 'Name an input')
            [CompletionResult]::new('--path-label', '--path-label', [CompletionResultType]::ParameterName, 'Make labels of the named groups of this regular expression where it matches an input''s path')
            [CompletionResult]::new('--input-format', '--input-format', [CompletionResultType]::ParameterName, 'Don''t look what the inputs are: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...')
            [CompletionResult]::new('--line-prefix', '--line-prefix', [CompletionResultType]::ParameterName, 'Cut what this regular expression matches at the start of each line')
            [CompletionResult]::new('--max-bytes', '--max-bytes', [CompletionResultType]::ParameterName, 'Give up an input after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads to read with [default: one for each core]')
            [CompletionResult]::new('-m', '-m', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--match', '--match', [CompletionResultType]::ParameterName, 'Text in the stack (`func file:line`), a label (`k=v`, a flag, `state=...`) or a goroutine id; case is ignored')
            [CompletionResult]::new('--query', '--query', [CompletionResultType]::ParameterName, 'The browser tool''s search: a word and `wait:` terms, as in ''flush wait:>5''')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'State as Go prints it, as in ''select'' or ''sync.Mutex.Lock''; ''unknown'' where nothing tells')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Kind: the state made comparable across Go versions, as in ''mutex'' or ''chan-recv''')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Minutes blocked: 5, 5+, ''>5'', ''<3'', 2-10, or with units: 30s, 1h, 2d')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Label, those of the input''s path included: KEY or KEY=GLOB; different keys must all hold')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Name of the input')
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'Category; `*` stands for slashes too')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the stack')
            [CompletionResult]::new('--frame', '--frame', [CompletionResultType]::ParameterName, 'A frame of the stack, as `func file:line`; with ! in front: no frame')
            [CompletionResult]::new('--created-by', '--created-by', [CompletionResultType]::ParameterName, 'What created the goroutine, as `func file:line`')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'Goroutine id, with the input''s name in front (`n1.17`) to mean only that input')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'An expression: ''state == "select" and wait >= 5 and label.tenant =~ "^acme"''; several must all hold')
            [CompletionResult]::new('--keep', '--keep', [CompletionResultType]::ParameterName, 'Show what this expression selects too, although filtered out')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of everything that was lost or dropped with a warning')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;config' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the settings in force, and where each comes from')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Turn settings of the browser tool into TOML that means the same')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'stackgazer;config;show' {
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Settings: TOML, or the browser tool''s JSON; replaces the files found in project and user folders [env: STACKGAZER_CONFIG]')
            [CompletionResult]::new('--rule', '--rule', [CompletionResultType]::ParameterName, 'Put a rule in front of a list, as in ''name.skip=runtime.gopark''')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no settings file')
            [CompletionResult]::new('--no-default-rules', '--no-default-rules', [CompletionResultType]::ParameterName, 'Leave the built-in rules out')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;config;import' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Format; each command''s help lists its own')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Write to this file instead of stdout: to a temporary file first, then renamed')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'Which sample type to show, for profiles that have several')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of rows')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Show at most so many rows')
            [CompletionResult]::new('--frames', '--frames', [CompletionResultType]::ParameterName, 'How frames are shown in tables and text')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Make an error (2) of what the browser tool leaves out or misreads')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;config;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the settings in force, and where each comes from')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Turn settings of the browser tool into TOML that means the same')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'stackgazer;config;help;show' {
            break
        }
        'stackgazer;config;help;import' {
            break
        }
        'stackgazer;config;help;help' {
            break
        }
        'stackgazer;completions' {
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;man' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Write a page for the program and one for each command into this folder')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'stackgazer;help' {
            [CompletionResult]::new('summarize', 'summarize', [CompletionResultType]::ParameterValue, 'Say what is in here: a verdict, then a table of goroutines by category')
            [CompletionResult]::new('filter', 'filter', [CompletionResultType]::ParameterValue, 'Show the goroutines that match, with frames, labels, ids and waits')
            [CompletionResult]::new('name', 'name', [CompletionResultType]::ParameterValue, 'Tell what each unique stack is called, in which category, and why')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Tell what changed from one point in time to the next: new, gone, grown, shrunk')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'May this pass? Leak checks, limits, allow-lists and a baseline, for CI')
            [CompletionResult]::new('tree', 'tree', [CompletionResultType]::ParameterValue, 'Tell who created whom')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write everything in another format')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show which settings are in force, or import those of the browser tool')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Write completions for a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'stackgazer;help;summarize' {
            break
        }
        'stackgazer;help;filter' {
            break
        }
        'stackgazer;help;name' {
            break
        }
        'stackgazer;help;diff' {
            break
        }
        'stackgazer;help;check' {
            break
        }
        'stackgazer;help;tree' {
            break
        }
        'stackgazer;help;export' {
            break
        }
        'stackgazer;help;config' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show the settings in force, and where each comes from')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Turn settings of the browser tool into TOML that means the same')
            break
        }
        'stackgazer;help;config;show' {
            break
        }
        'stackgazer;help;config;import' {
            break
        }
        'stackgazer;help;completions' {
            break
        }
        'stackgazer;help;man' {
            break
        }
        'stackgazer;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
