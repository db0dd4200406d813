//! `-o flamegraph`: one SVG of all stacks, complete without network or other files.
//!
//! The root is at the top, as people scroll down. Without its script it is a plain picture with titles;
//! with it, a browser can search functions and zoom in. Names from inputs only become text of elements: the
//! script is always the same and builds no markup from them.

mod color;
pub(super) mod markup;

use super::measure::measured;
use crate::profile::Profile;
use crate::view::calls::Calls;
use crate::view::calls::flame::{Flame, Node};
use markup::{Text, line, text};
use std::cmp::Reverse;
use std::io::{self, Write};

const SCRIPT: &str = include_str!("script.js");
const STYLE: &str = include_str!("style.css");

/// All sizes are in pixels; the script adapts the width to the window.
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 10.0;
const ROW: usize = 17;
const HEADER: usize = 64;
const FOOTER: usize = 24;
/// The width of a letter in boxes.
const LETTER: f64 = 7.25;
/// Narrower boxes aren't drawn: thousands of them would only make the file larger.
const NARROWEST: f64 = 0.1;
/// At most this many boxes are drawn, the widest: 160,000 take a browser 15 seconds, these 1.5.
const MOST: usize = 20_000;

/// A flame graph as a picture.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    flame: &'a Flame,
    calls: &'a Calls<'a>,
    /// With a base: 100% of the differences; each box then has two numbers.
    whole: Option<i128>,
    unit: String,
    title: String,
    subtitle: String,
}

/// The base that a flame graph is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// The names of the base's inputs.
    pub names: &'a [&'a str],
    /// 100% of the differences.
    pub whole: i128,
}

impl<'a> Picture<'a> {
    /// The picture of a flame graph; `names` are those of its inputs.
    pub fn new(
        profile: &Profile,
        calls: &'a Calls<'a>,
        flame: &'a Flame,
        names: &[&str],
        base: Option<Before<'_>>,
    ) -> Picture<'a> {
        let (kind, unit) = profile.value_name();
        let unit = String::from_utf8_lossy(unit).into_owned();
        let total = match profile.counts_goroutines() {
            true => super::numbers::counted(flame.root().value, "goroutine"),
            false => {
                let value = measured(flame.root().value, &unit);
                format!("{}: {value}", String::from_utf8_lossy(kind))
            }
        };
        let (title, subtitle) = match base {
            None => (total, some_names(names)),
            Some(base) => {
                let before = measured(flame.root().base, &unit);
                let (names, of_base) = (some_names(names), some_names(base.names));
                let whole = measured(base.whole, &unit);
                let about = format!("{names} compared with {of_base}; red grew, blue shrank");
                (format!("{total}, {before} before"), format!("{about}; changes in % of {whole}"))
            }
        };
        Picture { flame, calls, whole: base.map(|base| base.whole), unit, title, subtitle }
    }

    /// Writes the SVG.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let is_drawn = self.drawn();
        let nodes = || self.flame.nodes().zip(&is_drawn);
        let rows = nodes().filter(|(_, is_drawn)| **is_drawn).map(|(node, _)| node.depth + 1).max();
        let bottom = HEADER + rows.unwrap_or(1) * ROW;
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>")?;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{WIDTH}\" \
             height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">",
            height = bottom + FOOTER
        )?;
        writeln!(out, "<style>\n{STYLE}</style>")?;
        writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>")?;
        line("title", MARGIN, 20, &self.title, out)?;
        line("about", MARGIN, 38, &self.subtitle, out)?;
        line("details", MARGIN, 56, "", out)?;
        writeln!(out, "<g id=\"frames\">")?;
        let (mut left_out, mut covered) = (0_i128, 0_i128);
        let mut covered_to = 0;
        for (node, &is_drawn) in nodes() {
            if is_drawn {
                self.frame(&node, out)?;
                continue;
            }
            left_out += 1;
            // Nodes come in the order of their places, callers first: a box inside one that isn't drawn
            // starts before its end, and isn't counted again.
            if node.start >= covered_to {
                covered += node.width;
                covered_to = node.start + node.width;
            }
        }
        writeln!(out, "</g>")?;
        let note = match left_out {
            0 => String::new(),
            _ => {
                let share = percent(covered, self.flame.root().width);
                let boxes = super::numbers::counted(left_out, "narrower box");
                format!("{boxes} left out ({share})")
            }
        };
        line("note", MARGIN, bottom + 16, &note, out)?;
        writeln!(out, "<script><![CDATA[\n{SCRIPT}]]></script>\n</svg>")
    }

    /// By node, whether it is drawn: if there are too many, the widest are, and of equally wide ones those
    /// nearest to the root.
    fn drawn(&self) -> Vec<bool> {
        let all = self.flame.nodes().enumerate();
        let mut wide: Vec<u32> = all
            .filter(|(at, node)| *at == 0 || self.pixels(node.width) >= NARROWEST)
            .map(|(at, _)| at as u32)
            .collect();
        if wide.len() > MOST {
            wide.sort_unstable_by_key(|&at| {
                let node = self.flame.node(at as usize);
                (Reverse(node.width), node.depth, at)
            });
            wide.truncate(MOST);
        }
        let mut drawn = vec![false; self.flame.node_count()];
        wide.into_iter().for_each(|at| drawn[at as usize] = true);
        drawn
    }

    fn frame(&self, node: &Node, out: &mut dyn Write) -> io::Result<()> {
        let function = node.function.map(|at| self.calls.function(at));
        let name = Text::new(function.map_or(b"all", |function| function.name));
        let (x, width) = (MARGIN + self.pixels(node.start), self.pixels(node.width));
        let y = HEADER + node.depth * ROW;
        let fill = match function {
            _ if self.flame.differential => color::of_change(node.change(), node.width),
            Some(function) => color::of_package(function.package),
            None => color::ROOT.to_owned(),
        };
        write!(out, "<g><title>")?;
        text(&name, out)?;
        writeln!(out)?;
        text(&Text::new(self.facts(node).as_bytes()), out)?;
        write!(
            out,
            "</title><rect x=\"{x:.4}\" y=\"{y}\" width=\"{width:.4}\" height=\"{}\" fill=\"{fill}\"/>",
            ROW - 1
        )?;
        if let Some(label) = label(name.as_str(), width) {
            write!(out, "<text x=\"{:.2}\" y=\"{}\">", x + 3.0, y + 12)?;
            text(&Text::new(label.as_bytes()), out)?;
            write!(out, "</text>")?;
        }
        writeln!(out, "</g>")
    }

    /// `12 MiB, 3.4%`; with a base `12 MiB, 8 MiB before, +4 MiB, 1.1%`.
    fn facts(&self, node: &Node) -> String {
        let value = measured(node.value, &self.unit);
        let share = |part: i128, whole: i128| match percent(part, whole) {
            share if share.is_empty() => share,
            share => format!(", {share}"),
        };
        let Some(whole) = self.whole else {
            return format!("{value}{}", share(node.value, self.flame.root().value));
        };
        let before = measured(node.base, &self.unit);
        let change = match node.change() {
            0 => "unchanged".to_owned(),
            change => {
                let sign = if change > 0 { "+" } else { "" };
                format!("{sign}{}{}", measured(change, &self.unit), share(change, whole))
            }
        };
        format!("{value}, {before} before, {change}")
    }

    fn pixels(&self, width: i128) -> f64 {
        let whole = self.flame.root().width.max(1);
        width as f64 / whole as f64 * (WIDTH - 2.0 * MARGIN)
    }
}

/// `a, b, c and 4 more`
fn some_names(names: &[&str]) -> String {
    match names.len() {
        0..=4 => names.join(", "),
        many => format!("{} and {} more", names[..3].join(", "), many - 3),
    }
}

/// A share with one decimal; empty if the whole is 0.
fn percent(part: i128, whole: i128) -> String {
    if whole <= 0 {
        return String::new();
    }
    format!("{:.1}%", part as f64 / whole as f64 * 100.0)
}

/// The part of a name that fits, without its package's import path; the script does the same.
fn label(name: &str, width: f64) -> Option<String> {
    let fits = ((width - 6.0) / LETTER).floor();
    if fits < 3.0 {
        return None;
    }
    let own = name.find(['(', '[']).unwrap_or(name.len());
    let short = &name[name[..own].rfind('/').map_or(0, |slash| slash + 1)..];
    if short.chars().count() as f64 <= fits {
        return Some(short.to_owned());
    }
    let cut: String = short.chars().take(fits as usize - 1).collect();
    Some(format!("{cut}…"))
}
