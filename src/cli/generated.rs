//! Files that the program makes and the repository holds: completions, manual pages.

use std::fs;
use std::path::Path;

/// Fails if the committed file differs from what the program makes; with STACKGAZER_BLESS set the file
/// is written instead.
pub(super) fn assert_fresh(path: &str, made: &[u8]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("STACKGAZER_BLESS").is_some() {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(&file, made).unwrap();
        return;
    }
    let committed = fs::read(&file).unwrap_or_default();
    // A checkout may have Windows line ends.
    let committed = String::from_utf8_lossy(&committed).replace("\r\n", "\n");
    assert!(
        committed == String::from_utf8_lossy(made),
        "{path} is stale: run STACKGAZER_BLESS=1 cargo test --lib cli"
    );
}
