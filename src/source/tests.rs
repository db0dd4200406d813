//! From arguments to bytes, with archives made here.

mod compressed;
mod facts;
mod nested;
mod paths;
mod tar;
mod zip;

use super::{Allowance, SourceOptions, expand};
use crate::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// One input as it was read.
#[derive(Debug)]
struct Got {
    path: String,
    picked: bool,
    text: String,
    failure: Option<Error>,
    is_invalid: bool,
    notes: Vec<String>,
}

/// The results for some arguments.
#[derive(Debug, Default)]
struct All {
    inputs: Vec<Got>,
    errors: Vec<Error>,
    warnings: Vec<Error>,
}

impl All {
    fn texts(&self) -> Vec<&str> {
        self.inputs.iter().map(|input| input.text.as_str()).collect()
    }

    /// The paths, without the folder of the test.
    fn paths(&self, folder: &Folder) -> Vec<String> {
        let root = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
        let shorten = |got: &Got| got.path.replace(&root, "").replace('\\', "/");
        self.inputs.iter().map(shorten).collect()
    }

    fn error(&self) -> String {
        assert_eq!(self.errors.len(), 1, "{self:?}");
        self.errors[0].to_string()
    }
}

fn read_with(options: &SourceOptions, arguments: &[PathBuf]) -> All {
    let arguments: Vec<OsString> = arguments.iter().map(|path| path.clone().into()).collect();
    let expanded = expand(&arguments, options).unwrap();
    let mut all = All::default();
    all.errors.extend(expanded.errors.into_iter().map(|(_, error)| error));
    all.warnings.extend(expanded.warnings);
    let run = options.max_bytes.unwrap_or(u64::MAX);
    for (_, unit) in expanded.units.from(0) {
        let allowance = Allowance::new(run, run);
        let visited = unit.visit(&allowance, &mut |meta, mut stream| {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            let ending = stream.finish();
            all.inputs.push(Got {
                path: meta.path.clone(),
                picked: meta.picked,
                text: String::from_utf8_lossy(&bytes).into_owned(),
                failure: ending.failure,
                is_invalid: ending.is_invalid,
                notes: ending.notes,
            });
        });
        all.errors.extend(visited.errors.iter().map(|problem| problem.error.clone()));
        all.warnings.extend(visited.warnings.iter().map(|problem| problem.error.clone()));
    }
    all
}

fn read(arguments: &[PathBuf]) -> All {
    read_with(&SourceOptions::default(), arguments)
}

fn members(globs: &[&str]) -> SourceOptions {
    let members = globs.iter().map(|glob| (*glob).to_owned()).collect();
    SourceOptions { members, ..SourceOptions::default() }
}

/// A temporary folder to put inputs into.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = ::zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ::tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip_of(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd_of(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
