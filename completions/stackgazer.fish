function __fish_stackgazer_list
    set -l typed (commandline -ct | string unescape)
    set -l before (string replace -rf -- '^(?:--[^=]*=)?(.*,)[^,]*$' '$1' "$typed")
    printf '%s\n' "$before"$argv
end

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_stackgazer_global_optspecs
    string join \n h/help V/version
end

function __fish_stackgazer_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_stackgazer_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_stackgazer_using_subcommand
    set -l cmd (__fish_stackgazer_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c stackgazer -n "__fish_stackgazer_needs_command" -s h -l help -d 'Print help'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -s V -l version -d 'Print version'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "summarize" -d 'Say what the inputs show: a verdict, then a table by category'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "filter" -d 'Show goroutines that match, with frames, labels, ids, waits'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "name" -d 'Show the name and category of each unique stack, and why'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "diff" -d 'Show what changed from one point in time to the next'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "check" -d 'May this pass? Leak checks, limits and a baseline, for CI'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "tree" -d 'Show who created whom'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "export" -d 'Write everything in another format'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "symbolize" -d 'Find the function, file and line of addresses of a Go binary'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "stacksize" -d 'Show which code uses how much stack memory'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "capture" -d 'Write the goroutines of a live process, without its cooperation'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "config" -d 'Show settings, or import those of the browser tool'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "completions" -d 'Write completions for a shell'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "man" -d 'Write the manual page'
complete -c stackgazer -n "__fish_stackgazer_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l by -d 'What rows count: category, name, stack, state, ...' -r -f -a "(__fish_stackgazer_list category name stack id shape state kind wait input creator package function file line address module)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l pivot -d 'Spread the rows over this key: a column for each input; of more than eight, those whose numbers differ from the others\'' -r -f -a "input\t'The inputs'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l peek -d 'Matching functions, their callers and callees' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l list -d 'Source of matching functions, with values by line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l source-root -d 'Also look in this folder for the sources of --list, by the ends of their paths; they are looked for where they were built, in GOROOT and in the module cache anyway' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l granularity -d 'What a row is, the same as --by: functions (function), filefunctions (function,file), files (file), lines (function,line), addresses (address,function,line)' -r -f -a "functions\t''
filefunctions\t''
files\t''
lines\t''
addresses\t''"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l nodecount -l node-count -d 'Show at most so many rows of frames; 0 for all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l nodefraction -l node-fraction -d 'Leave out rows whose cumulative value is less than this share of the total, as in 0.005, the default of go tool pprof' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l edgefraction -l edge-fraction -d 'Leave out calls of --call-graph whose value is less than this share of the total' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l divide-by -d 'Divide values by this number before they are shown' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l unit -d 'Unit of values: ms, MB, ...; minimum: the best one for the smallest value [default: the best one for each value]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l base -d 'Subtract this input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l diff-base -d 'Subtract this input, and take it for 100%' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l title -d 'Title of the page that -o html writes [default: the names of the inputs]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table json ndjson csv markdown html"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l call-graph -d 'Every function with who calls it and whom it calls: the tree of go tool pprof'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l call-tree -d 'The tree of calls, from the outermost on'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l traces -d 'Every stack with its value and its labels'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l tags -d 'Every label with the value of those that have it'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l mean -d 'Divide values by those of the first sample type: bytes per object, time per event'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l drop-negative -d 'Leave out rows whose value is below zero'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l relative-percentages -d 'Take what is left after pruning as 100%, not everything'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l top
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l functions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l filefunctions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l files
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l lines
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l addresses
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l flat
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l cum
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l normalize -d 'Scale values to the total of the base (diff: of the first point), to compare shares'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l open -d 'Show the page in the browser once it is written; needs --to'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand summarize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l base -d 'Subtract this input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l diff-base -d 'Subtract this input, and take it for 100%' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table markdown text json ndjson csv debug2 folded pprof"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l normalize -d 'Scale values to the total of the base (diff: of the first point), to compare shares'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l args -d 'Show what calls were given, as debug=2 and crash texts print it; in text and JSON pointers that several goroutines were given are marked with their number'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand filter" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l base -d 'Subtract this input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l diff-base -d 'Subtract this input, and take it for 100%' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table json ndjson csv"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l explain -d 'Show which rule matched which frame'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l unused -d 'List the rules that did nothing to any stack'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l normalize -d 'Scale values to the total of the base (diff: of the first point), to compare shares'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand name" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l by -d 'What rows count: shape, id, name, category, ...' -r -f -a "(__fish_stackgazer_list category name stack id shape state kind wait input creator package function file line address module)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l min-change -d 'Leave out changes by less than N, or P percent' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l fail-on -d 'Exit with code 1 if anything is new, grown, ...' -r -f -a "(__fish_stackgazer_list new gone grown shrunk changed)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l base -d 'Subtract this input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l diff-base -d 'Subtract this input, and take it for 100%' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l order -d 'Order of the points' -r -f -a "given\t'As the arguments are given'
name\t'By path, numbers in it by value'
mtime\t'By the time that the file was last modified'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l title -d 'Title of the page that -o html writes [default: the names of the inputs]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table markdown json ndjson csv html"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l by-input -d 'Compare the processes of a bundle one by one'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l all -d 'Show rows that didn\'t change, too'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l normalize -d 'Scale values to the total of the base (diff: of the first point), to compare shares'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l fleet -d 'Take all inputs as processes of one point'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l series -d 'Members of one directory or archive are points'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l open -d 'Show the page in the browser once it is written; needs --to'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l explain -d 'Say what a check finds, and why' -r -f -a "leaked nil-channel empty-select deadlock race limit leftover leak-label growth persistence concentration age stranded-sender unclosed-range abandoned-select lock-pile-up sql-pool http-no-timeout stuck-group runaway-recursion thread-pile timer-storm gc-pressure crash expired-entry unused-entry"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l report -d 'Also write sarif, junit, github, html, ...' -r -f -a "sarif junit github gitlab markdown json html"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l fail-on -d 'Fail from this level on: error, warning, note' -r -f -a "error warning note"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l leak-label -d 'Work with this label is done: whatever still has the label has leaked' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l own -d 'Own code: functions that match; only own code makes errors, libraries make warnings [default: the main module; where that isn\'t known, what isn\'t of the standard library, the module cache or vendored]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l max-goroutines -d 'Goroutines of a process, or of a part' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l max-growth -d 'How many more goroutines a process may have at the last point than at the first' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l max-leaked -d 'Limit: goroutines of a process that the runtime proved to leak' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l max-age -d 'How long one may be blocked: 30m, 2h, 1d' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l allow -d 'Allow findings that this file covers' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l baseline -d 'Allow the findings that this baseline lists' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l write-baseline -d 'Write a baseline of all findings' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l skip-first -d 'Leave this many points at the start out of trends: the warm-up' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l today -d 'The date that expiry dates are compared with [default: today, in UTC]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l order -d 'Order of the points' -r -f -a "given\t'As the arguments are given'
name\t'By path, numbers in it by value'
mtime\t'By the time that the file was last modified'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l watch -d 'Read pid:N or an address up to this many times, until it grows' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l every -d 'The time from one reading to the next: 10s, 5m, 1h [default: 10s]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l title -d 'Title of the page that -o html writes [default: the names of the inputs]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table json ndjson csv html"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l explain-suppressed -d 'List what the built-in catalogue and allow-lists suppressed, each with the entry'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l at-end -d 'All work was done: what is still there has leaked'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l no-default-allow -d 'Don\'t use the built-in catalogue of expected goroutines'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l require-leak-profile -d 'Exit with code 2 unless every point has a goroutineleak profile'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l fleet -d 'Take all inputs as processes of one point'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l series -d 'Members of one directory or archive are points'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l open -d 'Show the page in the browser once it is written; needs --to'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "text json ndjson csv dot"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l whole -d 'Show whole trees'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l waits -d 'Show who waits for whom instead: each lock with those that wait for it, and who may hold it'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand tree" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l base -d 'Subtract this input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l diff-base -d 'Subtract this input, and take it for 100%' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l nodecount -l node-count -d 'Draw at most this many functions, the most important ones; 0 for all [default: 80]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l nodefraction -l node-fraction -d 'Leave out functions through which less than this share passes [default: 0.005]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l edgefraction -l edge-fraction -d 'Leave out calls through which less than this share passes [default: 0.001]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l title -d 'Title of the page that -o html writes [default: the names of the inputs]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "json ndjson csv text debug2 folded pprof flamegraph speedscope callgrind dot html parquet"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l normalize -d 'Scale values to the total of the base (diff: of the first point), to compare shares'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l args -d 'Show what calls were given, as debug=2 and crash texts print it; in text and JSON pointers that several goroutines were given are marked with their number'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l open -d 'Show the page in the browser once it is written; needs --to'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand symbolize" -s o -l output -d 'Format; --help lists them' -r -f -a "table json csv addr2line"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand symbolize" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand symbolize" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand symbolize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l by -d 'What rows add up: stack, function, size, ...' -r -f -a "(__fish_stackgazer_list category name stack id shape state kind wait input creator package function file line address module)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l stack-inuse -d 'StackInuse of MemStats, to be explained' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l member -d 'Read the members of directories and archives that match this glob instead of the well-known names' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l input-name -d 'Name an input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l path-label -d 'Make labels from the named groups of this regular expression, matched against input paths' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l input-format -d 'Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...' -r -f -a "goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l line-prefix -d 'Cut what this regular expression matches at the start of each line' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l max-bytes -d 'Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l binary -d 'The Go program that made the inputs' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l http-header -d 'Send this header with requests to http://...' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l http-timeout -d 'Give up on a server that is silent for this long, in addition to the `seconds` of the query [default: 60]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l http-ca -d 'Trust the certificates in this file (PEM) instead of the usual ones' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -s j -l threads -d 'Threads to read with [default: one for each core]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -s m -l match -d 'Text in the stack or a label, or a goroutine id' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l query -d 'The browser tool\'s search: a word and `wait:` terms, as in \'flush wait:>5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l state -d 'State as Go prints it, as in \'chan send\'' -r -f -a "(__fish_stackgazer_list running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l kind -d 'Kind: the state made comparable across Go versions, as in \'mutex\' or \'chan-recv\'' -r -f -a "(__fish_stackgazer_list running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown)"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l wait -d 'Minutes blocked: 5, 5+, \'>5\', 2-10, 1h' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l label -d 'Label, those of the input\'s path included' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l input -d 'Name of the input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l only-in -d 'Stacks that are in these inputs and in no other; goroutines have the same stack when its shape is the same (without lines and what differs between builds)' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l missing-in -d 'Stacks that other inputs have and none of these' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l category -d 'Category; `*` stands for slashes too' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l name -d 'Name of the stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l frame -d 'A frame of the stack, as `func file:line`; with ! in front: no frame' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l created-by -d 'What created the goroutine, as `func file:line`' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l id -d 'Goroutine id, with the input\'s name in front (`n1.17`) to mean only that input' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l where -d 'Expression: \'state == "select" and wait >= 5\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l keep -d 'Also show what this expression selects, although other options hide it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l focus -d 'Only samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l ignore -d 'No samples with a frame that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l hide -d 'Leave out frames that match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l show -d 'Leave out frames that don\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l show-from -d 'Leave out what is above the outermost frame that matches, and samples without one' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l prune-from -d 'Leave out what is below the innermost frame that matches; a method\'s name is only looked at up to its bracket' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l tagfocus -d 'Only samples with a label that matches; numbers in a range, as in \'bytes=32kb:1mb\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l tagignore -d 'No samples with a label that matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l tagshow -d 'Leave out labels whose key doesn\'t match' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l taghide -d 'Leave out labels whose key matches' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l tagroot -d 'Add the values of these labels as frames above all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l tagleaf -d 'Add the values of these labels as frames below all others' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -s o -l output -d 'Format; each command\'s help lists its own' -r -f -a "table json csv"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l value -d 'Sample type, where a profile has several' -r -f -a "inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l functions -d 'What a call of each function of a binary takes'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l resymbolize -d 'Replace the names that inputs have by those of --binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l force-binary -d 'Use --binary even if it isn\'t the one that made the input'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l http-insecure -d 'Trust any certificate'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l strict -d 'Exit with 2 if anything was lost or dropped with a warning'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l noinlines -d 'Leave out functions that were inlined into their callers'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l all-frames -d 'Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that are written have them in any case'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l inuse-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l inuse-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l alloc-space
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l alloc-objects
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l total-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l contentions
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -l mean-delay
complete -c stackgazer -n "__fish_stackgazer_using_subcommand stacksize" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l core -d 'Read this core file instead' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l binary -d 'The program that wrote the core file' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l mode -d 'What of the process is stopped while it is read' -r -f -a "lite\t'The threads that run goroutines, for a fraction of a millisecond'
full\t'All threads, while all is copied: goroutines as they are at one moment'
none\t'Nothing: goroutines that run have no stack'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l goroutine -d 'Only the goroutine of this number' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l annotate -d 'Each word of one goroutine\'s stack, explained' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -s o -l output -d 'Format: debug2, or any that export has' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l tid -d 'Only these threads; PID/TID,... is short for it' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l thread-state -d 'Only threads in these states, as ps shows them' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l max-stack -d 'Copy at most this much of each stack' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l stop-timeout -d 'How long threads may be stopped, or take to stop' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l reader -d 'How memory is read' -r -f -a "auto\t'As the system allows it'
vm\t'By process_vm_readv'
procmem\t'From /proc/PID/mem'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l watch -d 'Capture this many times, into the folder of --to' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l every -d 'The time from one capture to the next: 10s, 5m, 1h [default: 10s]' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l force-binary -d 'Use --binary even if it isn\'t the one that wrote the core file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l force -d 'Read a version of Go that isn\'t known as if it were the newest one that is'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l native -d 'Native stacks of all threads, for any program'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l show-state -d 'Show the state of each thread'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l show-sp -d 'Show the stack pointer of each thread'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l ignore-deleted -d 'Read what is at a deleted library\'s path now'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -l stats -d 'Show how well goroutines are known, and pauses'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand capture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and not __fish_seen_subcommand_from show import help" -s h -l help -d 'Print help'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and not __fish_seen_subcommand_from show import help" -f -a "show" -d 'Show the settings in effect, and where each comes from'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and not __fish_seen_subcommand_from show import help" -f -a "import" -d 'Turn settings of the browser tool into TOML that means the same'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and not __fish_seen_subcommand_from show import help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Settings: TOML, or the browser tool\'s JSON' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l rule -d 'Put a rule first: \'name.skip=runtime.gopark\'' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'Format; each command\'s help lists its own' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l no-config -d 'Read no settings file'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -l no-default-rules -d 'Leave the built-in rules out'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -s o -l output -d 'Format; each command\'s help lists its own' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -l to -d 'Write to this file instead of stdout' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal, unless NO_COLOR or TERM=dumb is set'
always\t'Always'
never\t'Never'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -l sort -d 'Order of rows: count, flat, cum, name, wait' -r -f -a "count\t'Most goroutines, or the largest value of its own, first'
flat\t'As count; the name that pprof has for it'
cum\t'For frames: the largest cumulative value, of their own and of what they call, first'
name\t'By name'
wait\t'Longest wait first'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -s n -l limit -d 'At most this many rows, stacks or trees; 0: all' -r
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -l frames -d 'How frames are shown' -r -f -a "both\t'Function and place under each other'
columns\t'Function and place side by side'
func\t'Functions only'
loc\t'Places only'
none\t'No frames'"
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -l strict -d 'Exit with 2 if the browser tool leaves something out or misreads it'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "show" -d 'Show the settings in effect, and where each comes from'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "import" -d 'Turn settings of the browser tool into TOML that means the same'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand man" -l dir -d 'Write all pages into this folder' -r -F
complete -c stackgazer -n "__fish_stackgazer_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "summarize" -d 'Say what the inputs show: a verdict, then a table by category'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "filter" -d 'Show goroutines that match, with frames, labels, ids, waits'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "name" -d 'Show the name and category of each unique stack, and why'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "diff" -d 'Show what changed from one point in time to the next'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "check" -d 'May this pass? Leak checks, limits and a baseline, for CI'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "tree" -d 'Show who created whom'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "export" -d 'Write everything in another format'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "symbolize" -d 'Find the function, file and line of addresses of a Go binary'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "stacksize" -d 'Show which code uses how much stack memory'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "capture" -d 'Write the goroutines of a live process, without its cooperation'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "config" -d 'Show settings, or import those of the browser tool'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "completions" -d 'Write completions for a shell'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "man" -d 'Write the manual page'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and not __fish_seen_subcommand_from summarize filter name diff check tree export symbolize stacksize capture config completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "show" -d 'Show the settings in effect, and where each comes from'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "import" -d 'Turn settings of the browser tool into TOML that means the same'
complete -c stackgazer -n "__fish_stackgazer_using_subcommand completions" -f -a "bash elvish fish powershell zsh"
