//! A debug bundle: a folder for each node with a dump and other files.

use crate::Plan;
use crate::random::Random;
use crate::stacks::Stacks;
use crate::text::{self, Wrap};
use std::io::{self, Cursor, Write};
use zip::write::SimpleFileOptions;

/// Files of each node beside its dump.
const OTHERS: u64 = 26;

/// Writes the zip; the plan's goroutines or bytes are those of all nodes together.
pub(crate) fn write(
    out: &mut dyn Write,
    stacks: &Stacks,
    plan: Plan,
    nodes: u64,
    random: &mut Random,
) -> io::Result<()> {
    let share = |all: u64| if all == u64::MAX { all } else { all / nodes };
    let of_node = Plan {
        // No node alone has all stacks.
        before: stacks.all.len() as u64,
        bytes: share(plan.bytes),
        goroutines: share(plan.goroutines),
        ..plan
    };
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for node in 1..=nodes {
        zip.start_file(format!("debug/nodes/{node}/stacks.txt"), options)?;
        let mut dump = Vec::new();
        text::goroutines(&mut dump, stacks, of_node, Wrap::None, random)?;
        zip.write_all(&dump)?;
        for other in 0..OTHERS {
            zip.start_file(format!("debug/nodes/{node}/ranges/{other}.json"), options)?;
            // About as much text as the dumps have.
            for _ in 0..dump.len() / OTHERS as usize / 60 {
                let (lease, bytes) = (random.below(nodes) + 1, random.below(1 << 29));
                writeln!(
                    zip,
                    "{{\"range\": {other}, \"lease\": {lease}, \"live_bytes\": {bytes:>12}}},"
                )?;
            }
        }
    }
    out.write_all(&zip.finish()?.into_inner())
}
