//! The values of options, as each shell offers them.

use super::super::values::Values;
use super::mark;
use clap::Command;
use std::fmt::Write;

/// Completes one of the values after the first argument, or a list of them if that is a comma. The word
/// being typed can be quoted, and blanks in the result are.
const BASH: &str = r#"
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
"#;

pub(super) fn bash(mut script: String, values: &[Values]) -> String {
    for (at, one) in values.iter().enumerate() {
        let all = one.all.iter().map(|value| format!(" {}", quote(value))).collect::<String>();
        let list = if one.list { "," } else { "-" };
        let offered = format!("_stackgazer_values {list}{all}");
        let by_clap = format!("COMPREPLY=($(compgen -W \"{}\" -- \"${{cur}}\"))", mark(at));
        script = script.replace(&by_clap, &offered);
    }
    format!("{}{script}", BASH.trim_start())
}

pub(super) fn zsh(mut script: String, values: &[Values]) -> String {
    for (at, one) in values.iter().enumerate() {
        // Inside the single quotes of a specification, whose fields are separated by colons.
        let value =
            |value: &String| value.replace(' ', "\\ ").replace('(', "\\(").replace(')', "\\)");
        let all = one.all.iter().map(value).collect::<Vec<_>>().join(" ");
        let offered = match one.list {
            true => format!(":{{_sequence compadd - {all}}}'"),
            false => format!(":({all})'"),
        };
        script = script.replace(&format!(":({})'", mark(at)), &offered);
    }
    script
}

/// Offers the values, each after the part of the list that is already typed.
const FISH: &str = r#"
function __fish_stackgazer_list
    set -l typed (commandline -ct | string unescape)
    set -l before (string replace -rf -- '^(?:--[^=]*=)?(.*,)[^,]*$' '$1' "$typed")
    printf '%s\n' "$before"$argv
end

"#;

/// clap's script for fish has no values of arguments without a name, so these are added.
pub(super) fn fish(mut script: String, program: &Command, values: &[Values]) -> String {
    for (command, all) in positional(program) {
        // Writing to a String can't fail.
        let _ = writeln!(
            script,
            "complete -c stackgazer -n \"__fish_stackgazer_using_subcommand {command}\" -f -a \"{}\"",
            all.join(" ")
        );
    }
    for (at, one) in values.iter().enumerate() {
        let all = one.all.iter().map(|value| quote(value)).collect::<Vec<_>>().join(" ");
        let offered = match one.list {
            true => format!("-a \"(__fish_stackgazer_list {all})\""),
            false => format!("-a \"{all}\""),
        };
        script = script.replace(&format!("-a \"{}\\t''\"", mark(at)), &offered);
    }
    format!("{}{script}", FISH.trim_start())
}

/// Commands with the values of their arguments without a name.
fn positional(program: &Command) -> impl Iterator<Item = (&str, Vec<String>)> {
    program.get_subcommands().flat_map(|command| {
        command.get_positionals().filter_map(|argument| {
            let known = argument.get_possible_values();
            let all: Vec<String> = known.iter().map(|value| value.get_name().to_owned()).collect();
            (!all.is_empty()).then(|| (command.get_name(), all))
        })
    })
}

/// Offers the values in the table for the option before the word that is typed.
const POWERSHELL: &str = r#"
    $typed = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
    $before = if ($wordToComplete -eq '') { $typed.Count - 1 } else { $typed.Count - 2 }
    if ($before -gt 0 -and $stackgazerValues.ContainsKey("$($typed[1]) $($typed[$before])")) {
        $word = $wordToComplete.Trim("'", '"')
        $stackgazerValues["$($typed[1]) $($typed[$before])"] |
            Where-Object { $_ -like "$word*" } |
            ForEach-Object {
                $text = if ($_ -match '[\s()]') { "'$_'" } else { $_ }
                [CompletionResult]::new($text, $_, [CompletionResultType]::ParameterValue, $_)
            }
        return
    }
"#;

/// clap's script for PowerShell has no values at all, so these are in a table of their own.
pub(super) fn powershell(script: String, program: &Command, values: &[Values]) -> String {
    let mut table = String::from("$stackgazerValues = @{\n");
    for command in program.get_subcommands() {
        for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let known = argument.get_possible_values();
            let known: Vec<&str> =
                known.iter().map(clap::builder::PossibleValue::get_name).collect();
            let is_mark = |at: &usize| known.first().is_some_and(|one| *one == mark(*at));
            let all: Vec<&str> = match (0..values.len()).find(is_mark) {
                Some(at) => values[at].all.iter().map(String::as_str).collect(),
                None => known,
            };
            if all.is_empty() || !argument.get_action().takes_values() {
                continue;
            }
            let all: Vec<String> = all.into_iter().map(|value| format!("'{value}'")).collect();
            let short = argument.get_short().map(|short| format!("-{short}"));
            let long = argument.get_long().map(|long| format!("--{long}"));
            for option in short.into_iter().chain(long) {
                // Writing to a String can't fail.
                let _ = writeln!(
                    table,
                    "    '{} {option}' = @({})",
                    command.get_name(),
                    all.join(", ")
                );
            }
        }
    }
    for (command, all) in positional(program) {
        let _ = writeln!(table, "    '{command} {command}' = @('{}')", all.join("', '"));
    }
    table.push_str("}\n\n");
    let parameters = "    param($wordToComplete, $commandAst, $cursorPosition)\n";
    let script = script.replace(parameters, &format!("{parameters}{POWERSHELL}"));
    script.replacen("Register-ArgumentCompleter", &format!("{table}Register-ArgumentCompleter"), 1)
}

/// A value that every shell takes as it is: none has a quote in it.
fn quote(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte);
    match value.bytes().all(plain) {
        true => value.to_owned(),
        false => format!("'{value}'"),
    }
}
