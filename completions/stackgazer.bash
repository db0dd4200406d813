_stackgazer_values() {
    local list="$1" word="${cur}" quoted="" before="" value
    shift
    case "${word}" in
        [\"\']*) quoted=yes; word="${word:1}" ;;
    esac
    word="${word//\\/}"
    if [[ "${list}" == , && "${word}" == *,* ]]; then
        before="${word%,*},"
        word="${word##*,}"
    fi
    COMPREPLY=()
    for value in "$@"; do
        if [[ "${value}" == "${word}"* ]]; then
            value="${before}${value}"
            if [[ -z "${quoted}" ]]; then
                printf -v value %q "${value}"
                # A comma needs no quotes, and would be another one for what is typed behind it.
                value="${value//\\,/,}"
            fi
            COMPREPLY+=("${value}")
        fi
    done
}
_stackgazer() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="stackgazer"
                ;;
            stackgazer,capture)
                cmd="stackgazer__subcmd__capture"
                ;;
            stackgazer,check)
                cmd="stackgazer__subcmd__check"
                ;;
            stackgazer,completions)
                cmd="stackgazer__subcmd__completions"
                ;;
            stackgazer,config)
                cmd="stackgazer__subcmd__config"
                ;;
            stackgazer,diff)
                cmd="stackgazer__subcmd__diff"
                ;;
            stackgazer,export)
                cmd="stackgazer__subcmd__export"
                ;;
            stackgazer,filter)
                cmd="stackgazer__subcmd__filter"
                ;;
            stackgazer,help)
                cmd="stackgazer__subcmd__help"
                ;;
            stackgazer,man)
                cmd="stackgazer__subcmd__man"
                ;;
            stackgazer,name)
                cmd="stackgazer__subcmd__name"
                ;;
            stackgazer,stacksize)
                cmd="stackgazer__subcmd__stacksize"
                ;;
            stackgazer,summarize)
                cmd="stackgazer__subcmd__summarize"
                ;;
            stackgazer,symbolize)
                cmd="stackgazer__subcmd__symbolize"
                ;;
            stackgazer,tree)
                cmd="stackgazer__subcmd__tree"
                ;;
            stackgazer__subcmd__config,help)
                cmd="stackgazer__subcmd__config__subcmd__help"
                ;;
            stackgazer__subcmd__config,import)
                cmd="stackgazer__subcmd__config__subcmd__import"
                ;;
            stackgazer__subcmd__config,show)
                cmd="stackgazer__subcmd__config__subcmd__show"
                ;;
            stackgazer__subcmd__config__subcmd__help,help)
                cmd="stackgazer__subcmd__config__subcmd__help__subcmd__help"
                ;;
            stackgazer__subcmd__config__subcmd__help,import)
                cmd="stackgazer__subcmd__config__subcmd__help__subcmd__import"
                ;;
            stackgazer__subcmd__config__subcmd__help,show)
                cmd="stackgazer__subcmd__config__subcmd__help__subcmd__show"
                ;;
            stackgazer__subcmd__help,capture)
                cmd="stackgazer__subcmd__help__subcmd__capture"
                ;;
            stackgazer__subcmd__help,check)
                cmd="stackgazer__subcmd__help__subcmd__check"
                ;;
            stackgazer__subcmd__help,completions)
                cmd="stackgazer__subcmd__help__subcmd__completions"
                ;;
            stackgazer__subcmd__help,config)
                cmd="stackgazer__subcmd__help__subcmd__config"
                ;;
            stackgazer__subcmd__help,diff)
                cmd="stackgazer__subcmd__help__subcmd__diff"
                ;;
            stackgazer__subcmd__help,export)
                cmd="stackgazer__subcmd__help__subcmd__export"
                ;;
            stackgazer__subcmd__help,filter)
                cmd="stackgazer__subcmd__help__subcmd__filter"
                ;;
            stackgazer__subcmd__help,help)
                cmd="stackgazer__subcmd__help__subcmd__help"
                ;;
            stackgazer__subcmd__help,man)
                cmd="stackgazer__subcmd__help__subcmd__man"
                ;;
            stackgazer__subcmd__help,name)
                cmd="stackgazer__subcmd__help__subcmd__name"
                ;;
            stackgazer__subcmd__help,stacksize)
                cmd="stackgazer__subcmd__help__subcmd__stacksize"
                ;;
            stackgazer__subcmd__help,summarize)
                cmd="stackgazer__subcmd__help__subcmd__summarize"
                ;;
            stackgazer__subcmd__help,symbolize)
                cmd="stackgazer__subcmd__help__subcmd__symbolize"
                ;;
            stackgazer__subcmd__help,tree)
                cmd="stackgazer__subcmd__help__subcmd__tree"
                ;;
            stackgazer__subcmd__help__subcmd__config,import)
                cmd="stackgazer__subcmd__help__subcmd__config__subcmd__import"
                ;;
            stackgazer__subcmd__help__subcmd__config,show)
                cmd="stackgazer__subcmd__help__subcmd__config__subcmd__show"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        stackgazer)
            opts="-h -V --help --version summarize filter name diff check tree export symbolize stacksize capture config completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__capture)
            opts="-o -h --core --binary --force-binary --mode --force --goroutine --annotate --output --native --tid --thread-state --show-state --show-sp --max-stack --ignore-deleted --stop-timeout --reader --stats --watch --every --to --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --core)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --mode)
                    COMPREPLY=($(compgen -W "lite full none" -- "${cur}"))
                    return 0
                    ;;
                --goroutine)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --annotate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --thread-state)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-stack)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stop-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reader)
                    COMPREPLY=($(compgen -W "auto vm procmem" -- "${cur}"))
                    return 0
                    ;;
                --watch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --every)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__check)
            opts="-j -m -o -n -h --explain --report --explain-suppressed --fail-on --at-end --leak-label --own --max-goroutines --max-growth --max-leaked --max-age --allow --baseline --write-baseline --no-default-allow --require-leak-profile --skip-first --today --order --fleet --series --watch --every --title --open --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --explain)
                    _stackgazer_values - leaked nil-channel empty-select deadlock race limit leftover leak-label growth persistence concentration age stranded-sender unclosed-range abandoned-select lock-pile-up sql-pool http-no-timeout stuck-group runaway-recursion thread-pile timer-storm gc-pressure crash expired-entry unused-entry
                    return 0
                    ;;
                --report)
                    _stackgazer_values - sarif junit github gitlab markdown json html
                    return 0
                    ;;
                --fail-on)
                    _stackgazer_values - error warning note
                    return 0
                    ;;
                --leak-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --own)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-goroutines)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-growth)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-leaked)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-age)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --allow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --write-baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --skip-first)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --today)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "given name mtime" -- "${cur}"))
                    return 0
                    ;;
                --watch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --every)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table json ndjson csv html
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table json ndjson csv html
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__completions)
            opts="-h --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config)
            opts="-h --help show import help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__help)
            opts="show import help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__help__subcmd__import)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__help__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__import)
            opts="-o -n -h --strict --output --to --color --sort --limit --frames --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__config__subcmd__show)
            opts="-o -n -h --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__diff)
            opts="-j -m -o -n -h --by --by-input --min-change --fail-on --all --base --diff-base --normalize --order --fleet --series --title --open --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --by)
                    _stackgazer_values , category name stack id shape state kind wait input creator package function file line address module
                    return 0
                    ;;
                --min-change)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    _stackgazer_values , new gone grown shrunk changed
                    return 0
                    ;;
                --base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --diff-base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "given name mtime" -- "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table markdown json ndjson csv html
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table markdown json ndjson csv html
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__export)
            opts="-j -m -o -n -h --base --diff-base --normalize --node-count --nodecount --node-fraction --nodefraction --edge-fraction --edgefraction --args --title --open --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --diff-base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nodecount)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --node-count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nodefraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --node-fraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --edgefraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --edge-fraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - json ndjson csv text debug2 folded pprof flamegraph speedscope callgrind dot html parquet
                    return 0
                    ;;
                -o)
                    _stackgazer_values - json ndjson csv text debug2 folded pprof flamegraph speedscope callgrind dot html parquet
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__filter)
            opts="-j -m -o -n -h --base --diff-base --normalize --args --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --diff-base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table markdown text json ndjson csv debug2 folded pprof
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table markdown text json ndjson csv debug2 folded pprof
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help)
            opts="summarize filter name diff check tree export symbolize stacksize capture config completions man help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__capture)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__check)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__completions)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__config)
            opts="show import"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__config__subcmd__import)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__config__subcmd__show)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 4 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__diff)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__export)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__filter)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__help)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__man)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__name)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__stacksize)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__summarize)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__symbolize)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__help__subcmd__tree)
            opts=""
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__man)
            opts="-h --dir --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --dir)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__name)
            opts="-j -m -o -n -h --explain --unused --base --diff-base --normalize --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --diff-base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table json ndjson csv
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table json ndjson csv
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__stacksize)
            opts="-j -m -o -n -h --by --stack-inuse --functions --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --by)
                    _stackgazer_values , category name stack id shape state kind wait input creator package function file line address module
                    return 0
                    ;;
                --stack-inuse)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table json csv
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table json csv
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__summarize)
            opts="-j -m -o -n -h --by --pivot --peek --call-graph --call-tree --traces --tags --list --source-root --granularity --node-count --nodecount --node-fraction --nodefraction --edge-fraction --edgefraction --mean --divide-by --drop-negative --relative-percentages --unit --top --functions --filefunctions --files --lines --addresses --flat --cum --base --diff-base --normalize --title --open --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --by)
                    _stackgazer_values , category name stack id shape state kind wait input creator package function file line address module
                    return 0
                    ;;
                --pivot)
                    COMPREPLY=($(compgen -W "input" -- "${cur}"))
                    return 0
                    ;;
                --peek)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --list)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --source-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --granularity)
                    COMPREPLY=($(compgen -W "functions filefunctions files lines addresses" -- "${cur}"))
                    return 0
                    ;;
                --nodecount)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --node-count)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nodefraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --node-fraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --edgefraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --edge-fraction)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --divide-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --unit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --diff-base)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - table json ndjson csv markdown html
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table json ndjson csv markdown html
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__symbolize)
            opts="-o -h --output --to --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    _stackgazer_values - table json csv addr2line
                    return 0
                    ;;
                -o)
                    _stackgazer_values - table json csv addr2line
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        stackgazer__subcmd__tree)
            opts="-j -m -o -n -h --whole --waits --member --input-name --path-label --input-format --line-prefix --max-bytes --binary --resymbolize --force-binary --http-header --http-timeout --http-ca --http-insecure --strict --threads --match --query --state --kind --wait --label --input --only-in --missing-in --category --name --frame --created-by --id --where --keep --focus --ignore --hide --show --show-from --prune-from --tagfocus --tagignore --tagshow --taghide --tagroot --tagleaf --noinlines --all-frames --config --no-config --no-default-rules --rule --output --to --color --sort --limit --frames --value --inuse-space --inuse-objects --alloc-space --alloc-objects --total-delay --contentions --mean-delay --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --member)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --path-label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input-format)
                    _stackgazer_values - goroutine-debug2 goroutine-debug1 goroutine-debug0 goroutineleak-debug1 goroutineleak-debug0 heap-debug1 heap-debug0 contention-debug1 contention-debug0 threadcreate-debug1 threadcreate-debug0 cpu-debug0 profile-debug1 profile-debug0
                    return 0
                    ;;
                --line-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-bytes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --binary)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-header)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --http-ca)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --threads)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -j)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --match)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -m)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --query)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --state)
                    _stackgazer_values , running runnable syscall select 'select (no cases)' 'chan receive' 'chan receive (nil chan)' 'chan send' 'chan send (nil chan)' 'IO wait' sleep semacquire sync.Mutex.Lock sync.RWMutex.Lock sync.RWMutex.RLock sync.Cond.Wait sync.WaitGroup.Wait 'GC worker (idle)' 'finalizer wait' synctest.Run unknown
                    return 0
                    ;;
                --kind)
                    _stackgazer_values , running runnable syscall io chan-recv chan-send select mutex rwmutex-r rwmutex-w cond waitgroup sema sleep nil-chan empty-select gc runtime unknown
                    return 0
                    ;;
                --wait)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --label)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --input)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --missing-in)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --category)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --name)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frame)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --created-by)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --where)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --focus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --hide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-from)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagfocus)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagignore)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagshow)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --taghide)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagroot)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --tagleaf)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rule)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    _stackgazer_values - text json ndjson csv dot
                    return 0
                    ;;
                -o)
                    _stackgazer_values - text json ndjson csv dot
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                --sort)
                    COMPREPLY=($(compgen -W "count flat cum name wait" -- "${cur}"))
                    return 0
                    ;;
                --limit)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --frames)
                    COMPREPLY=($(compgen -W "both columns func loc none" -- "${cur}"))
                    return 0
                    ;;
                --value)
                    _stackgazer_values - inuse_space inuse_objects alloc_space alloc_objects cpu samples delay contentions goroutine
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _stackgazer -o nosort -o bashdefault -o default stackgazer
else
    complete -F _stackgazer -o bashdefault -o default stackgazer
fi
