//! Inputs that a server answers. The servers are threads of the tests, on 127.0.0.1.

#![cfg(feature = "http")]

use crate::sandbox::{Ran, Sandbox, stackgazer};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

const DUMP: &str = "goroutine 1 [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\n\n";

/// A server that gives these answers, one for each connection, and the requests it got.
pub(crate) struct Server {
    address: String,
    pub(crate) requests: Receiver<String>,
}

impl Server {
    pub(crate) fn start(answers: Vec<Vec<u8>>) -> Server {
        Server::answering(answers.into_iter().map(Some).collect())
    }

    /// A server that lets who asks wait where it has no answer.
    pub(crate) fn answering(answers: Vec<Option<Vec<u8>>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            let mut waiting = Vec::new();
            for answer in answers {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let _ = sender.send(request(&stream));
                match answer {
                    // Who has seen enough closes the connection.
                    Some(answer) => drop(stream.write_all(&answer)),
                    None => waiting.push(stream),
                }
            }
            while !waiting.is_empty() {
                std::thread::park();
            }
        });
        Server { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn ask(&self, path: &str, more: &[&str]) -> Ran {
        let url = self.url(path);
        let mut arguments = vec!["export", "-o", "json", &url];
        arguments.extend_from_slice(more);
        stackgazer(arguments)
    }
}

/// The lines of a request.
fn request(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    let lines = lines.take_while(|line| !line.is_empty());
    lines.map(|line| line.to_ascii_lowercase() + "\n").collect()
}

pub(crate) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let mut answer = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}

#[test]
fn an_address_is_an_input_of_every_command() {
    let server = Server::start(vec![answer("200 OK", "", DUMP)]);
    let ran = server.ask("/debug/pprof/goroutine?debug=2", &["--http-header", "X-Token: abc"]);
    let json = ran.quiet().json();
    assert_eq!(json["total"], 1);
    assert_eq!(json["inputs"][0]["name"], server.address.as_str());
    let request = server.requests.recv().expect("a request");
    assert!(request.starts_with("get /debug/pprof/goroutine?debug=2 http/1.1\n"), "{request}");
    assert!(request.contains("\nx-token: abc\n"), "{request}");
    assert!(!request.contains("content-length"), "nothing is sent: {request}");
}

#[test]
fn the_scheme_may_be_left_out() {
    let server = Server::start(vec![answer("200 OK", "", DUMP)]);
    let address = format!("{}/debug/pprof/goroutine?debug=2", server.address);
    let ran = stackgazer([address.as_str(), "-o", "json"]).quiet();
    assert_eq!(ran.json()["inputs"][0]["path"], format!("http://{address}"));
}

#[test]
fn addresses_and_files_mix() {
    let server = Server::start(vec![answer("200 OK", "", DUMP)]);
    let sandbox = Sandbox::new();
    sandbox.file("old.txt", DUMP);
    let url = server.url("/debug/pprof/goroutine?debug=2");
    let json = sandbox.run(["diff", "-o", "json", "old.txt", &url]).quiet().json();
    assert_eq!(json["totals"], serde_json::json!([1, 1]));
}

#[test]
fn chunks_and_gzip_are_unpacked() {
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{DUMP}\r\n0\r\n\r\n",
        DUMP.len()
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(DUMP.as_bytes()).expect("compressed");
    let packed = answer("200 OK", "", gzip.finish().expect("compressed"));
    let server = Server::start(vec![chunked.into_bytes(), packed]);
    for _ in 0..2 {
        assert_eq!(server.ask("/x", &[]).quiet().json()["total"], 1);
    }
}

#[test]
fn redirects_are_followed_on_the_same_host_only() {
    let server = Server::start(vec![
        answer("302 Found", "Location: /debug/pprof/goroutine?debug=2\r\n", ""),
        answer("200 OK", "", DUMP),
        answer("302 Found", "Location: http://example.com/steal\r\n", ""),
    ]);
    assert_eq!(server.ask("/old", &[]).quiet().json()["total"], 1);
    server.ask("/old", &[]).code(2).says("points elsewhere: http://example.com/steal");
    let files = answer("302 Found", "Location: file:///etc/passwd\r\n", "");
    Server::start(vec![files]).ask("/old", &[]).code(2).says("points elsewhere: file:///");
    // What stands in front of the `@` of these is no user for those who wrote the standard.
    for to in [
        "http:me:hunter2@127.0.0.1/",
        "http:/me:hunter2@h/",
        "me:hunter2@h/",
        "x:hunter2@://b",
        "mailto:hunter2@http://x",
        "ftp:me:hunter2@h/x",
    ] {
        let redirect = answer("302 Found", &format!("Location: {to}\r\n"), "");
        let ran = Server::start(vec![redirect]).ask("/old", &[]).code(2);
        assert!(!ran.says("points to what is no address").stderr.contains("hunter2"), "{to}");
    }
    let server = Server::start(vec![answer("302 Found", "Location: /x\r\n", ""); 6]);
    server.ask("/x", &[]).code(2).says("redirects more than 5 times");
}

#[test]
fn a_redirect_is_followed_on_a_connection_of_its_own() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/old", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        let redirect = answer("302 Found", "Location: /new\r\n", "");
        for answer in [redirect, answer("200 OK", "", DUMP)] {
            let answer =
                String::from_utf8(answer).expect("text").replace("Connection: close\r\n", "");
            let (mut stream, _) = listener.accept().expect("a connection");
            request(&stream);
            stream.write_all(answer.as_bytes()).expect("written");
            // Whoever asks for more on it finds it closed.
            std::thread::spawn(move || stream.peek(&mut [0]).map(|_| drop(stream)));
        }
    });
    assert_eq!(stackgazer(["export", "-o", "json", &url]).quiet().json()["total"], 1);
}

#[test]
fn refusals_say_what_to_do() {
    let server = Server::start(vec![
        answer("404 Not Found", "", "404 page not found\n"),
        answer("404 Not Found", "", "Unknown profile\n"),
        answer("403 Forbidden", "", "no\n"),
        answer("200 OK", "Content-Type: text/html\r\n", "<html>"),
    ]);
    let path = "/debug/pprof/";
    server
        .ask(path, &[])
        .code(2)
        .says("404 Not Found: 404 page not found")
        .says("import _ \"net/http/pprof\"");
    server.ask(path, &[]).code(2).says("/debug/pprof/ for those it has");
    server.ask(path, &[]).code(2).says("--http-header 'Authorization: ...'");
    server.ask(path, &[]).code(2).says("/debug/pprof/goroutine?debug=2");
}

#[test]
fn nobody_listening_and_nobody_answering_are_told_apart() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    stackgazer(["export", &format!("http://{free}/x")])
        .code(2)
        .says("nothing listens at 127.0.0.1:");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/x", silent.local_addr().expect("an address"));
    stackgazer(["export", &url, "--http-timeout", "0.2"])
        .code(2)
        .says("no answer came within 0.2 seconds")
        .says("--http-timeout");
    // Longer than clocks count.
    for timeout in ["9223372036854775000", "1e300", "inf"] {
        stackgazer(["export", &format!("http://{free}/x"), "--http-timeout", timeout])
            .code(2)
            .says("nothing listens at 127.0.0.1:");
    }
}

#[test]
fn an_answer_that_ends_too_early_is_shown_and_an_error() {
    let whole = answer("200 OK", "", DUMP.repeat(2));
    let server = Server::start(vec![whole[..whole.len() - 20].to_vec()]);
    let ran = server.ask("/x", &[]).code(2).says("ends too early");
    assert!(ran.json()["total"].as_i64() >= Some(1));
}

#[test]
fn answers_count_against_the_bytes_that_are_allowed() {
    let server = Server::start(vec![answer("200 OK", "", DUMP.repeat(100))]);
    server.ask("/x", &["--max-bytes", "1000"]).code(2).says("--max-bytes");
}

#[test]
fn passwords_in_addresses_are_refused() {
    let ran = stackgazer(["export", "http://me:secret@127.0.0.1:9/x"]).code(2);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}

#[cfg(not(feature = "tls"))]
#[test]
fn without_tls_another_way_is_told() {
    stackgazer(["export", "https://127.0.0.1:9/x"])
        .code(2)
        .says("curl -sS 'https://127.0.0.1:9/x'");
}

#[test]
fn ports_that_are_none_are_not_asked_on_port_80() {
    for port in ["0", "65536", "x", ""] {
        let url = format!("http://127.0.0.1:{port}/x?token=secret");
        let ran = stackgazer(["export", &url, "--http-header", "Authorization: Basic abc"]);
        // What is no number can be a password.
        let shown = if port == "x" { "http://127.0.0.1:***: " } else { "?token=***: " };
        ran.code(2).says("isn't a number from 1 to 65535").says(shown);
    }
}

#[test]
fn tokens_of_addresses_stand_in_no_output() {
    let server = Server::start(vec![answer("200 OK", "", DUMP), answer("200 OK", "", DUMP)]);
    let path = "/x?debug=2&token=secret";
    let ran = server.ask(path, &[]);
    let json = ran.quiet().json();
    assert!(!json.to_string().contains("secret"), "{json}");
    let shown = json["inputs"][0]["path"].as_str().expect("a path");
    assert!(shown.ends_with("/x?debug=2&token=***"), "{shown}");
    // The name of an input is given by the address that was typed.
    let url = server.url(path);
    let json = server.ask(path, &["--input-name", &format!("{url}=shop")]).quiet().json();
    assert_eq!(json["inputs"][0]["name"], "shop");
    let request = server.requests.recv().expect("a request");
    assert!(request.starts_with("get /x?debug=2&token=secret "), "{request}");
}

/// Commands that are suggested and names of points are made from what was typed.
#[test]
fn tokens_of_addresses_stand_in_no_suggestion_and_in_no_name_of_a_point() {
    let stuck = |at: usize| {
        format!(
            "goroutine {at} [sync.Mutex.Lock, 9 minutes]:\nsync.(*Mutex).Lock(0xc0)\n\t\
             /go/src/sync/mutex.go:46 +0x1d\nmain.f()\n\t/a.go:1 +0x1\n\n"
        )
    };
    let dump: String = (1..60).map(stuck).collect();
    let server = Server::start((0..9).map(|_| answer("200 OK", "", &dump)).collect());
    let url = server.url("/debug/pprof/goroutine?debug=2&token=secret");
    let (sandbox, bare) = (Sandbox::new(), url.strip_prefix("http://").unwrap());
    let commands: [&[&str]; 7] = [
        &["summarize", &url],
        &["summarize", bare],
        &["summarize", "-o", "json", &url],
        &["diff", &url],
        &["diff", &url, &url],
        &["diff", "-o", "html", &url, &url],
        &["check", "-o", "json", &url, &url],
    ];
    for command in commands {
        let ran = sandbox.run(command.iter().copied()).no_panic();
        let shown = [ran.text(), &ran.stderr].concat();
        assert!(shown.len() > 100 && !shown.contains("secret"), "{command:?}: {shown}");
    }
}

/// An address in the wrong place or written wrongly is refused, and holds the same secrets.
#[test]
fn secrets_of_an_address_stand_in_no_message_whatever_it_was_given_to() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    // The last one makes a file of that name.
    let options = [
        "--binary",
        "--config",
        "--allow",
        "--baseline",
        "--report",
        "--label",
        "--input",
        "--line-prefix",
        "--input-name",
        "--member",
        "--where",
        "--by",
        "--sort",
        "--http-timeout",
        "-o",
        "--max-growth",
        "--to",
    ];
    for address in [
        "http://u:secret@127.0.0.1:1/x?token=secret",
        " http://127.0.0.1:1/x?token=secret",
        "http:/u:secret@h/x?token=secret",
        "u:secret@127.0.0.1:1/debug/pprof/heap",
        "127.0.0.1:1/heap?token=secret",
        "htp://h/heap?token=secret",
        "//u:secret@h/x?token=secret",
        "h/x?token=secret",
        "Authorization: Bearer secret",
    ] {
        let check = |ran: Ran| {
            let shown = [ran.text(), &ran.stderr].concat();
            assert!(!shown.contains("secret"), "{shown}");
        };
        check(sandbox.run([address]));
        for command in ["summarize", "check", "capture", "symbolize", "config", "diff"] {
            check(sandbox.run([command, address]).no_panic());
        }
        for option in options {
            for command in ["summarize", "check", "diff"] {
                check(sandbox.run([command, option, address, "dump.txt"]).no_panic());
                check(
                    sandbox.run([command, &format!("{option}={address}"), "dump.txt"]).no_panic(),
                );
            }
        }
        // Documents have notes on these.
        for option in ["--own", "--leak-label"] {
            for way in [
                &["-o", "json"][..],
                &["-o", "html"],
                &["--report", "sarif"],
                &["--report", "markdown"],
            ] {
                let way = [&["check", "--no-config", option, address, "dump.txt"], way].concat();
                check(sandbox.run(way).no_panic());
            }
        }
    }
}

/// Servers repeat what they were sent as JSON, percent-encoded, as entities, decoded or in parts.
#[test]
fn texts_of_a_server_that_was_sent_a_secret_are_not_shown() {
    let basic = "Authorization: Basic bWU6aHVudGVyMmh1bnRlcg";
    let token = "/x?debug=2&token=ab/cd+ef";
    for (path, header, body) in [
        ("/x", "A: Bearer hunter2hunter", "invalid hunter2hunter for /x"),
        ("/x", basic, "me has not hunter2hunter"),
        ("/x", "A: hunter2hunter", "hunter2..., as %68unter2, hunt&#101;r2 and \\u0068unter2"),
        (token, "Accept: text/plain", "no ab\\/cd+ef, no ab%2Fcd%2Bef, no hunter2"),
    ] {
        let server = Server::start(vec![answer("401 Unauthorized", "", body)]);
        let ran = server.ask(path, &["--http-header", header]).code(2);
        assert!(!ran.stderr.contains("unter") && !ran.stderr.contains("cd"), "{}", ran.stderr);
        ran.says("401 Unauthorized; its text isn't shown, as it can repeat what was sent");
    }
    for to in ["http://elsewhere/%68unter2", "http://me:hunter2@elsewhere/", "//elsewhere?hunter2"]
    {
        let redirect = answer("302 Found", &format!("Location: {to}\r\n"), "");
        let ran = Server::start(vec![redirect]).ask(token, &[]).code(2);
        assert!(!ran.stderr.contains("unter"), "{}", ran.stderr);
        ran.says("points elsewhere: http://elsewhere; ");
    }
    // What was sent before a redirect counts, too.
    let redirect = answer("302 Found", "Location: /login\r\n", "");
    let refusal = answer("403 Forbidden", "", "no hunter2");
    let ran = Server::start(vec![redirect, refusal]).ask("/x?key=hunter2", &[]).code(2);
    assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
}

#[test]
fn texts_of_pprof_and_of_servers_that_were_sent_nothing_secret_are_shown() {
    let busy = "Could not enable CPU profiling: cpu profiling already in use\n";
    let pprof = answer("500 Internal Server Error", "X-Go-Pprof: 1\r\n", busy);
    let path = "/debug/pprof/profile?debug=0&seconds=1";
    let server = Server::start(vec![pprof]);
    server.ask(path, &["--http-header", "A: b"]).code(2).says(busy.trim());
    let server = Server::start(vec![answer("502 Bad Gateway", "", "upstream is down")]);
    server.ask(path, &[]).code(2).says("502 Bad Gateway: upstream is down");
}

#[test]
fn a_proxy_that_cannot_be_used_is_no_reason_to_ask_directly() {
    let sandbox = Sandbox::new();
    for value in ["socks5://me:secret@127.0.0.1:1", "http://me:secret@"] {
        let arguments = ["export", "http://db.example:6060/x"];
        let ran = sandbox.run_with(arguments, b"", &[("HTTP_PROXY", value)]);
        let ran = ran.code(2).says("the proxy in HTTP_PROXY can't be used");
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    }
    let proxy = [("HTTP_PROXY", "http://me:secret@127.0.0.1:1")];
    let ran =
        sandbox.run_with(["summarize", "http://192.0.2.7/debug/pprof/goroutine"], b"", &proxy);
    let ran = ran.code(2).says("nothing listens at the proxy 127.0.0.1:1;");
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
}

#[test]
fn what_a_proxy_refuses_is_told_of_the_proxy() {
    let refusal = answer("407 Proxy Authentication Required", "", "");
    for (said, what) in
        [(refusal, "doesn't lead to 192.0.2.7: "), (b"no\r\n\r\n".to_vec(), " or the proxy ")]
    {
        let server = Server::start(vec![said]);
        let proxy = server.url("");
        let ran = Sandbox::new().run_with(
            ["summarize", "http://192.0.2.7/debug/pprof/goroutine"],
            b"",
            &[("HTTP_PROXY", proxy.trim_end_matches('/'))],
        );
        ran.code(2).says(what).says(proxy.trim_start_matches("http://").trim_end_matches('/'));
    }
}

/// A proxy can say in a tunnel what it was sent.
#[test]
fn the_password_of_a_proxy_is_not_shown_if_an_answer_repeats_it() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let proxy = format!("http://me:hunter2hunter@{}", listener.local_addr().expect("an address"));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let refusal = answer("403 Forbidden", "", "no hunter2hunter");
        for said in [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), refusal] {
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).expect("a request");
                request.extend(byte);
            }
            stream.write_all(&said).expect("an answer");
        }
    });
    let address = "http://192.0.2.7/debug/pprof/goroutine";
    let ran = Sandbox::new().run_with(["summarize", address], b"", &[("HTTP_PROXY", &proxy)]);
    server.join().expect("a server");
    assert!(!ran.stderr.contains("hunter2"), "{}", ran.stderr);
    ran.code(2).says("403 Forbidden; its text isn't shown, as it can repeat what was sent");
}

/// A password in Latin-1.
#[cfg(unix)]
#[test]
fn a_proxy_that_is_not_utf8_is_no_reason_to_ask_directly() {
    use std::os::unix::ffi::OsStrExt;
    let proxy = std::ffi::OsStr::from_bytes(b"http://me:secr\xe4t@127.0.0.1:1");
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args(["summarize", "http://192.0.2.7/debug/pprof/goroutine"])
        .env_clear()
        .env("http_proxy", proxy)
        .output()
        .expect("stackgazer runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{said}");
    assert!(said.contains("proxy") && !said.contains("secr"), "{said}");
}

#[test]
fn a_connection_that_is_reset_is_not_the_end_of_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/x", listener.local_addr().expect("an address"));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let _ = write!(stream, "HTTP/1.0 200 OK\r\n\r\n{DUMP}");
        std::thread::sleep(std::time::Duration::from_millis(200));
        // Closed with the request unread, which the system answers with a reset.
    });
    stackgazer(["export", "-o", "json", &url]).code(2).says("its connection was cut, not closed");
    server.join().expect("a server");
}

#[test]
fn addresses_of_other_kinds_are_refused_without_their_passwords() {
    for address in ["ftp://me:secret@h/x", "postgres://me:se/cret@h:1/x?token=secret"] {
        let ran = stackgazer(["export", "-o", "json", address]).code(2).says("isn't asked");
        let told = [ran.stdout.as_slice(), ran.stderr.as_bytes()].concat();
        assert!(!String::from_utf8_lossy(&told).contains("cret"), "{address}");
    }
}
