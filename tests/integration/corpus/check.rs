//! `check` on dumps of real programs.

use crate::sandbox::{Sandbox, corpus, files_below};

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn healthy_dumps_of_a_large_program_give_no_error() {
    let corpus = corpus();
    for path in files_below(&corpus.join("corpus/cockroach")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let json = Sandbox::new().run([
            "check".as_ref(),
            "-o".as_ref(),
            "json".as_ref(),
            path.as_os_str(),
        ]);
        let json = json.no_panic().json();
        assert_eq!(json["errors"], 0, "{name}: {json}");
    }
}
