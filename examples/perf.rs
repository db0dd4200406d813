//! perf
#![allow(missing_docs)]
use stackgazer::profile::*;
fn main() {
    for path in std::env::args().skip(1) {
        let mut b = ProfileBuilder::new(Keep::default());
        let mut f = std::fs::File::open(&path).unwrap();
        stackgazer::format::read(&mut f, Input::new(&path,&path,InputFormat::Debug2), &mut Default::default(), &mut b).unwrap();
        let p = b.finish();
        println!("{} {}", p.samples.len(), p.samples.iter().map(|s| s.count).sum::<i64>());
    }
}
