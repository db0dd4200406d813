//! `action.yml`, as far as a shell can tell what GitHub makes of it, and the shell example of the
//! README.

#[cfg(unix)]
use crate::leaks::dump;
#[cfg(unix)]
use crate::sandbox::Sandbox;
use crate::sandbox::testdata;
use crate::schema::assert_valid;
use serde_json::Value;
use std::path::Path;

fn action() -> Value {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("action.yml"));
    serde_saphyr::from_str(&text.expect("action.yml")).expect("YAML")
}

#[test]
fn the_action_follows_the_schema_of_actions() {
    let schema = std::fs::read(testdata("schemas/github-action.json")).expect("a schema");
    let schema: Value = serde_json::from_slice(&schema).expect("JSON");
    let validator = jsonschema::draft7::new(&schema).expect("a schema");
    assert_valid(&validator, &action(), "action.yml");
    let mut wrong = action();
    wrong["runs"]["steps"][0]["shell"] = Value::Null;
    assert!(!validator.is_valid(&wrong), "a step without a shell is no step");
}

#[test]
fn the_text_of_the_action_takes_nothing_from_expressions() {
    // What a workflow passes in must not become code: it goes through the environment.
    for step in action()["runs"]["steps"].as_array().expect("steps") {
        let script = step["run"].as_str().expect("a script");
        assert!(!script.contains("${{"), "{script}");
    }
}

/// Puts a script where a shell finds it.
#[cfg(unix)]
fn program(sandbox: &Sandbox, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = sandbox.file(std::path::Path::new("bin").join(name), script);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// A job on a runner: the action's own folder, a workspace, and files for what steps hand over.
#[cfg(unix)]
struct Job {
    sandbox: Sandbox,
}

#[cfg(unix)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    outputs: String,
    summary: String,
}

#[cfg(unix)]
impl Job {
    fn new() -> Job {
        let sandbox = Sandbox::new();
        // Building takes minutes; this cargo has it done already.
        let cargo = "#!/bin/sh\n\
            echo \"$@\" > \"$RUNNER_TEMP/cargo\"\n\
            mkdir -p \"$RUNNER_TEMP/stackgazer/release\"\n\
            ln -sf \"$BUILT\" \"$RUNNER_TEMP/stackgazer/release/stackgazer\"\n";
        program(&sandbox, "cargo", cargo);
        sandbox.file("temp/here", "");
        sandbox.file("workspace/go.mod", "module example.com/parcels\n");
        Job { sandbox }
    }

    fn dump(&self, name: &str, bytes: &[u8]) {
        self.sandbox.file(Path::new("workspace").join(name), bytes);
    }

    /// Runs every step as GitHub does, until one fails.
    fn run(&self, inputs: &[(&str, &str)]) -> Ended {
        let action = action();
        let given = |name: &str| inputs.iter().find(|input| input.0 == name).map(|input| input.1);
        let value = |name: &str| -> String {
            let default = action["inputs"][name]["default"].as_str();
            given(name).or(default).unwrap_or_else(|| panic!("{name}")).to_owned()
        };
        let folder = |name: &str| self.sandbox.path().join(name);
        let mut ended = Ended {
            code: None,
            stdout: String::new(),
            outputs: String::new(),
            summary: String::new(),
        };
        for step in action["runs"]["steps"].as_array().expect("steps") {
            let script = self.sandbox.file("temp/step.sh", step["run"].as_str().expect("a script"));
            let mut command = std::process::Command::new("bash");
            command
                .args(["--noprofile", "--norc", "-eo", "pipefail"])
                .arg(script)
                .current_dir(folder("workspace"))
                .env_clear()
                .env("PATH", format!("{}:/usr/bin:/bin", folder("bin").display()))
                .env("BUILT", env!("CARGO_BIN_EXE_stackgazer"))
                .env("RUNNER_TEMP", folder("temp"))
                .env("GITHUB_ACTION_PATH", "/actions/stackgazer")
                .env("GITHUB_WORKSPACE", folder("workspace"))
                .env("GITHUB_STEP_SUMMARY", folder("temp/summary"))
                .env("GITHUB_OUTPUT", folder("temp/output"));
            for (name, text) in step["env"].as_object().into_iter().flatten() {
                let input = text.as_str().and_then(|text| text.strip_prefix("${{ inputs."));
                let input = input.and_then(|text| text.strip_suffix(" }}")).expect("an input");
                command.env(name, value(input));
            }
            let output = command.output().expect("bash");
            ended.code = output.status.code();
            ended.stdout.push_str(&String::from_utf8_lossy(&output.stdout));
            if ended.code != Some(0) {
                break;
            }
        }
        let read = |name: &str| std::fs::read_to_string(folder(name)).unwrap_or_default();
        ended.outputs = read("temp/output");
        ended.summary = read("temp/summary");
        ended
    }
}

#[cfg(unix)]
#[test]
fn a_leak_fails_the_job_and_is_seen_everywhere() {
    let job = Job::new();
    for point in 1..=6 {
        let bytes = dump("go1.27.3", &format!("abandoned-sender/{point}.txt"));
        job.dump(&format!("dumps/of a run/{point}.txt"), &bytes);
    }
    let ended =
        job.run(&[("dumps", "dumps/of a run/*.txt\n"), ("args", "--max-goroutines=1000\n")]);
    assert_eq!(ended.code, Some(1), "{}", ended.stdout);
    let annotation = ended.stdout.lines().find(|line| line.starts_with("::error "));
    let annotation = annotation.expect("an annotation");
    assert!(annotation.contains("file=mistakes.go,line="), "{annotation}");
    assert!(ended.outputs.contains("exit-code=1\n"), "{}", ended.outputs);
    assert!(ended.outputs.contains("sarif=stackgazer.sarif\n"), "{}", ended.outputs);
    assert!(ended.summary.starts_with("## ❌ stackgazer check: fail\n"), "{}", ended.summary);
    let sarif = job.sandbox.path().join("workspace/stackgazer.sarif");
    let sarif: Value = serde_json::from_slice(&std::fs::read(sarif).expect("SARIF")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let cargo = job.sandbox.path().join("temp/cargo");
    let cargo = std::fs::read_to_string(cargo).expect("what cargo was asked");
    assert!(cargo.contains("--manifest-path /actions/stackgazer/Cargo.toml"), "{cargo}");
}

#[cfg(unix)]
#[test]
fn no_leak_passes_and_no_dump_does_not() {
    let job = Job::new();
    job.dump("end.txt", &dump("go1.27.3", "healthy/end.txt"));
    let passed = job.run(&[("dumps", "end.txt"), ("args", "--at-end"), ("sarif", "out.sarif")]);
    assert_eq!(passed.code, Some(0), "{}", passed.stdout);
    assert!(passed.outputs.contains("exit-code=0\nsarif=out.sarif\n"), "{}", passed.outputs);
    assert!(passed.summary.starts_with("## ✅ stackgazer check: pass\n"));
    let missing = job.run(&[("dumps", "missing/*.txt")]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.outputs.ends_with("exit-code=2\nsarif=stackgazer.sarif\n"));
}

#[cfg(unix)]
#[test]
fn the_shell_example_of_the_readme_runs_as_it_stands() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let readme = readme.expect("README.md");
    let (_, section) = readme.split_once("\n## In CI\n").expect("a section on CI");
    let (_, example) = section.split_once("\n```bash\n").expect("an example");
    let (example, _) = example.split_once("\n```").expect("its end");
    // What the tests of a Go module leave behind, without a Go to run them.
    let go = "#!/bin/sh\ntest \"$1\" = test && cp left/*.txt \"$GOROUTINES\"\n";
    for (twin, code, verdict) in [("healthy", 0, "✅"), ("ticker", 1, "❌")] {
        let sandbox = Sandbox::new();
        program(&sandbox, "go", go);
        std::os::unix::fs::symlink(
            env!("CARGO_BIN_EXE_stackgazer"),
            sandbox.path().join("bin/stackgazer"),
        )
        .expect("a link");
        sandbox.file("left/shop.test-1.txt", dump("go1.26.6", &format!("{twin}/end.txt")));
        sandbox.file("left/queue.test-2.txt", dump("go1.26.6", "healthy/end.txt"));
        let output = std::process::Command::new("bash")
            .args(["-euo", "pipefail", "-c", example])
            .current_dir(sandbox.path())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", sandbox.path().join("bin").display()))
            .output()
            .expect("bash");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let read = |name: &str| std::fs::read_to_string(sandbox.path().join(name)).expect(name);
        assert!(read("leaks.md").starts_with(&format!("## {verdict} ")), "{}", read("leaks.md"));
        assert!(read("leaks.xml").ends_with("</testsuites>\n"));
    }
}
