//! Links GCC's unwinder into the program where the compiler has it as an archive.
//!
//! The shared one, `libgcc_s`, has to be found, mapped and started by each process, and asks the
//! processor what it is, which a virtual machine answers slowly: 0.17 of the 1.3 ms of a program
//! that only says hello.

use std::env::var;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC_LINKER");
    // Elsewhere nobody has tried.
    let tried = "x86_64-unknown-linux-gnu";
    if !["HOST", "TARGET"].iter().all(|name| var(name).is_ok_and(|found| found == tried)) {
        return;
    }
    let linker = var("RUSTC_LINKER").unwrap_or_else(|_| "cc".to_owned());
    // Compilers answer with the bare name where they don't have it.
    let answer = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output();
    let text = answer.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
    let text = text.unwrap_or_default();
    if let Some(folder) = Path::new(text.trim()).parent().filter(|folder| folder.is_absolute()) {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=gcc_eh");
    }
}
