//! The properties of stdout, and whether the user wants colours.

use super::args::{Color, OutputArgs, Sort};
use super::emit::{is_stream, to_terminal};
use crate::output::terminal::Screen;
use crate::view::table::Order;

/// The screen that results are written to.
pub(super) fn screen(output: &OutputArgs) -> Screen {
    let terminal = to_terminal(output);
    if terminal {
        // Older Windows consoles must be told; elsewhere nothing happens.
        #[cfg(windows)]
        let _ = anstyle_query::windows::enable_ansi_colors();
    }
    let size = terminal_size::terminal_size().filter(|_| terminal);
    let color = colors(output.color, terminal, &|name| std::env::var(name).ok());
    Screen {
        color,
        // Colours of ours couldn't be told from those of names later, if this is a terminal.
        escape: terminal || color && is_stream(output),
        width: size.map(|(width, _)| usize::from(width.0)),
        height: size.map(|(_, height)| usize::from(height.0)),
    }
}

/// Whether to write colours: `--color` decides, then NO_COLOR, then CLICOLOR_FORCE, then the terminal.
fn colors(asked: Color, terminal: bool, environment: &dyn Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| environment(name).is_some_and(|value| !value.is_empty());
    let on = |name: &str| environment(name).is_some_and(|value| !value.is_empty() && value != "0");
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto if set("NO_COLOR") => false,
        Color::Auto if on("CLICOLOR_FORCE") => true,
        Color::Auto => terminal && environment("TERM").as_deref() != Some("dumb"),
    }
}

/// The requested order, for views.
pub(super) fn order(sort: Option<Sort>) -> Order {
    match sort.unwrap_or(Sort::Count) {
        Sort::Count | Sort::Flat => Order::Count,
        Sort::Cum => Order::Cum,
        Sort::Name => Order::Name,
        Sort::Wait => Order::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(terminal: bool, variables: &[(&str, &str)]) -> bool {
        colors(Color::Auto, terminal, &|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn only_terminals_are_coloured_of_themselves() {
        assert!(auto(true, &[("TERM", "xterm")]));
        assert!(!auto(true, &[("TERM", "dumb")]));
        assert!(!auto(false, &[]));
    }

    #[test]
    fn no_color_beats_a_forced_colour() {
        assert!(auto(false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!auto(false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!auto(true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(auto(true, &[("NO_COLOR", "")]));
    }

    #[test]
    fn the_flag_decides() {
        let none = |_: &str| None;
        assert!(colors(Color::Always, false, &none));
        assert!(!colors(Color::Never, true, &|_| Some("1".to_owned())));
    }
}
