//! What agreement.py asks of a binary, also what no command tells. Addresses come from
//! stdin, one a line (or a stack a line), answers go to stdout in the same order.
//!
//! ```text
//! answers info BINARY                          build info and ids, one a line
//! answers functions BINARY                     function, start, end, bytes of its frame
//! answers names BINARY                         function, start, end of all
//! answers addr2line BINARY                     as go tool addr2line
//! answers frames BINARY [START LIMIT OFFSET]   function, file, line, start line of each frame
//! answers printed BINARY                       addresses of NAME, OFFSET, FILE, LINE
//! answers stack BINARY                         used, least, most, truncated, unknown, hidden of return addresses
//! answers answer BINARY                        lines that start with frames, printed or stack, and info
//! answers check BINARY BUILD_ID                whether PC, NAME, OFFSET, FILE, LINE or return addresses fit
//! ```

use stackgazer::binary::{Binary, Evidence, Frame, Observed, PrintedCall, Slide};
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::Path;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (command, path) = (args[0].as_str(), args[1].as_str());
    let binary = match Binary::open(Path::new(path)) {
        Ok(binary) => binary,
        Err(error) => {
            let advice = error.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
            writeln!(out, "{path}: {error}{advice}")?;
            out.flush()?;
            std::process::exit(2);
        }
    };
    match command {
        "info" => info(&binary, &mut out),
        "functions" => functions(&binary, &mut out),
        "names" => binary.functions().try_for_each(|function| {
            let name = function.name();
            let (start, end) = (function.entry(), function.end());
            Ok(writeln!(out, "{}\t{start:#x}\t{end:#x}", String::from_utf8_lossy(&name))?)
        }),
        "addr2line" => each_line(|line| addr2line(&binary, hex(line), &mut out)),
        "frames" => {
            let number = |at: usize| args.get(at).map_or(0, |text| hex(text));
            let slide =
                binary.slide_of_mapping(number(2), number(3), number(4)).unwrap_or_default();
            each_line(|line| frames(&binary, slide.to_binary(hex(line)), &mut out))
        }
        "printed" => each_line(|line| printed(&binary, line, &mut out)),
        "stack" => each_line(|line| stack(&binary, line, &mut out)),
        "answer" => {
            info(&binary, &mut out)?;
            each_line(|line| match line.split_once(' ') {
                Some(("frames", pc)) => frames(&binary, hex(pc), &mut out),
                Some(("printed", call)) => printed(&binary, call, &mut out),
                Some(("stack", returns)) => stack(&binary, returns, &mut out),
                _ => Err(line.into()),
            })
        }
        "check" => check(&binary, args.get(2).map_or("", String::as_str), &mut out),
        _ => Err(format!("no such command: {command}").into()),
    }?;
    Ok(out.flush()?)
}

fn each_line(mut answer: impl FnMut(&str) -> Outcome) -> Outcome {
    for line in io::stdin().lock().lines() {
        answer(&line?)?;
    }
    Ok(())
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or_default()
}

fn text(frame: &Frame) -> String {
    let name = String::from_utf8_lossy(&frame.function);
    let file = frame.file.as_ref().map_or("?".into(), |file| String::from_utf8_lossy(file));
    format!("{name}\t{file}\t{}\t{}", frame.line, frame.start_line)
}

fn frames(binary: &Binary, pc: u64, out: &mut impl Write) -> Outcome {
    let texts: Vec<String> = binary.shown_frames(pc).iter().map(text).collect();
    Ok(writeln!(out, "{}", texts.join("\x1f"))?)
}

fn printed(binary: &Binary, line: &str, out: &mut impl Write) -> Outcome {
    let fields: Vec<&str> = line.split('\t').collect();
    let addresses = binary.addresses(&PrintedCall {
        function: fields[0].as_bytes(),
        offset: hex(fields[1]),
        file: fields[2].as_bytes(),
        line: fields[3].parse()?,
    });
    let texts: Vec<String> = addresses.iter().map(|pc| format!("{pc:#x}")).collect();
    Ok(writeln!(out, "{}", texts.join(" "))?)
}

fn stack(binary: &Binary, line: &str, out: &mut impl Write) -> Outcome {
    let returns: Vec<u64> = line.split(' ').map(hex).collect();
    let model = binary.stack_model()?;
    let calls = binary.stack_calls(&returns, Slide::default());
    let size = model.size(model.used(&calls.calls), calls.hidden);
    let (used, least, most) = (size.used, size.least, size.most);
    let (truncated, hidden) = (u8::from(calls.truncated), calls.hidden);
    Ok(writeln!(out, "{used} {least} {most} {truncated} {} {hidden}", calls.unknown)?)
}

fn info(binary: &Binary, out: &mut impl Write) -> Outcome {
    writeln!(out, "format\t{:?}\narch\t{:?}", binary.format(), binary.arch())?;
    writeln!(out, "functions\t{}\ntext\t{:#x?}", binary.function_count(), binary.text().start)?;
    writeln!(out, "gnu\t{}", binary.gnu_build_id().unwrap_or_default())?;
    writeln!(out, "buildid\t{}", binary.go_build_id().unwrap_or_default())?;
    let Some(info) = binary.build_info() else {
        return Ok(());
    };
    writeln!(out, "go\t{}\npath\t{}", info.go, info.path)?;
    for module in info.main.iter().chain(&info.dependencies) {
        writeln!(out, "module\t{}\t{}\t{}", module.path, module.version, module.sum)?;
    }
    for (key, value) in &info.settings {
        writeln!(out, "build\t{key}={value}")?;
    }
    Ok(())
}

fn functions(binary: &Binary, out: &mut impl Write) -> Outcome {
    for (function, bytes) in binary.frame_sizes() {
        let name = function.name();
        let name = String::from_utf8_lossy(&name);
        writeln!(out, "{name}\t{:#x}\t{:#x}\t{bytes}", function.entry(), function.end())?;
    }
    Ok(())
}

fn addr2line(binary: &Binary, pc: u64, out: &mut impl Write) -> Outcome {
    match binary.frames(pc).into_iter().next() {
        Some(frame) => {
            // go tool addr2line knows physical functions only. In padding it prints no file and -1.
            let name = binary.function(pc).map(|function| function.name()).unwrap_or_default();
            let name = String::from_utf8_lossy(&name);
            match &frame.file {
                Some(file) => {
                    writeln!(out, "{name}\n{}:{}", String::from_utf8_lossy(file), frame.line)?
                }
                None => writeln!(out, "{name}\n:-1")?,
            }
        }
        None => writeln!(out, "?\n?:0")?,
    }
    Ok(())
}

fn check(binary: &Binary, build_id: &str, out: &mut impl Write) -> Outcome {
    let lines: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let stacks: Vec<Vec<u64>> = (lines.iter().filter(|line| !line.contains('\t')))
        .map(|line| line.split(' ').map(hex).collect())
        .collect();
    let stacks = stacks.iter().map(Vec::as_slice).collect();
    let mut evidence = Evidence { build_id, stacks, ..Evidence::default() };
    for line in &lines {
        let fields: Vec<&str> = line.split('\t').collect();
        if let [pc, function, offset, file, line] = fields.as_slice() {
            evidence.named.push(Observed {
                pc: hex(pc),
                function: function.as_bytes(),
                offset: (!offset.is_empty()).then(|| hex(offset)),
                file: file.as_bytes(),
                line: line.parse()?,
            });
        }
    }
    let slide: Slide = binary.slide_of_frames(&evidence.named);
    match binary.check(&evidence, slide) {
        Ok(()) => writeln!(out, "ok\t{:#x}", slide.bytes())?,
        Err(mismatch) => writeln!(out, "mismatch\t{mismatch}")?,
    }
    Ok(())
}
