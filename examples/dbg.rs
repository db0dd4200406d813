//! dbg
#![allow(missing_docs)]
use stackgazer::profile::*;
fn main() {
    for path in std::env::args().skip(1) {
        let mut b = ProfileBuilder::new(Keep { goroutines: true, receivers: false });
        let mut f: Box<dyn std::io::Read> = Box::new(std::fs::File::open(&path).unwrap());
        if path.ends_with(".gz") {
            f = Box::new(flate2::read::MultiGzDecoder::new(f));
        }
        let out = stackgazer::format::read(
            &mut f,
            Input::new(&path, &path, InputFormat::Debug2),
            &mut Default::default(),
            &mut b,
        )
        .unwrap();
        let p = b.finish();
        println!(
            "{path} {out:?} {} samples {} goroutines {}",
            p.samples.len(),
            p.samples.iter().map(|s| s.count).sum::<i64>(),
            p.goroutines.len()
        );
        for i in &p.inputs {
            println!("  {:?} {} {:?}", i.seen, i.goroutines, i.crash);
            for w in &i.warnings {
                println!("   W {:?}", w);
            }
        }
        if p.samples.len() < 8 || std::env::var("V").is_ok() {
            for s in &p.samples {
                let st = s.key.state.map(|x| String::from_utf8_lossy(p.str(x)).into_owned());
                println!(
                    "    {} {:?} {:?} flags {:?} labels {:?} elided {:?} wait {:?}",
                    s.count,
                    st,
                    s.key.kind,
                    p.flags(s.key.flags)
                        .iter()
                        .map(|f| String::from_utf8_lossy(p.str(*f)))
                        .collect::<Vec<_>>(),
                    p.labels(s.key.labels)
                        .iter()
                        .map(|l| format!(
                            "{}={}",
                            String::from_utf8_lossy(p.str(l.key)),
                            String::from_utf8_lossy(&p.label_text(l.value))
                        ))
                        .collect::<Vec<_>>(),
                    s.key.elided,
                    s.waits.range()
                );
                for f in p.stack(s.key.stack) {
                    let f = p.frame(*f);
                    println!(
                        "        {} {}:{}",
                        String::from_utf8_lossy(p.str(f.func)),
                        String::from_utf8_lossy(p.str(f.file)),
                        f.line
                    );
                }
                if let Some(c) = s.key.creator {
                    let f = p.frame(c);
                    println!(
                        "      created by {} {}:{}",
                        String::from_utf8_lossy(p.str(f.func)),
                        String::from_utf8_lossy(p.str(f.file)),
                        f.line
                    );
                }
            }
        }
    }
}
