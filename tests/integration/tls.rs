//! Inputs behind TLS. Servers are threads of the tests, on 127.0.0.1; their certificates are made
//! when the tests run.

#![cfg(feature = "tls")]

use crate::sandbox::{Ran, Sandbox};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;

const DUMP: &str = "goroutine 1 [select]:\nmain.work(0x1)\n\t/src/a.go:9 +0x1d\n\n";

/// Somebody who vouches for servers.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Authority {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).expect("a certificate").pem();
        Authority { issuer: Issuer::new(params, key), pem }
    }

    /// A server of this name that says this, encrypted, to everybody who asks. Returns its address.
    fn serve(&self, name: &str, answer: String) -> String {
        self.serve_ending(name, answer, true)
    }

    /// The same, and whether it says that it has said all.
    fn serve_ending(&self, name: &str, answer: String, in_order: bool) -> String {
        self.serve_each(name, vec![answer], in_order)
    }

    /// The same with an answer for each question of a connection.
    fn serve_each(&self, name: &str, answers: Vec<String>, in_order: bool) -> String {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate");
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let connection = ServerConnection::new(Arc::clone(&config)).expect("a connection");
                let mut stream = StreamOwned::new(connection, stream.expect("a stream"));
                for answer in &answers {
                    let mut head = BufReader::new(&mut stream).lines();
                    // Who doesn't trust the certificate doesn't ask.
                    if head.by_ref().all(|line| line.is_ok_and(|line| !line.is_empty())) {
                        break;
                    }
                    drop(head);
                    let _ = stream.write_all(answer.as_bytes());
                }
                if in_order {
                    stream.conn.send_close_notify();
                }
                let _ = stream.flush();
            }
        });
        address
    }
}

fn dump() -> String {
    let length = DUMP.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{DUMP}")
}

fn ask(sandbox: &Sandbox, address: &str, more: &[&str]) -> Ran {
    let url = format!("https://{address}/debug/pprof/goroutine?debug=2");
    sandbox.run([&["export", "-o", "json", &url], more].concat())
}

#[test]
fn a_server_that_somebody_trusted_vouches_for_is_read() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    sandbox.file("ca.pem", &authority.pem);
    let address = authority.serve("127.0.0.1", dump());
    let json = ask(&sandbox, &address, &["--http-ca", "ca.pem"]).quiet().json();
    assert_eq!(json["total"], 1);
    assert_eq!(json["inputs"][0]["name"], address.as_str());
}

#[test]
fn strangers_are_refused_unless_told_otherwise() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    sandbox.file("other.pem", Authority::new().pem);
    let address = authority.serve("127.0.0.1", dump());
    for more in [&[][..], &["--http-ca", "other.pem"]] {
        ask(&sandbox, &address, more)
            .code(2)
            .says("the certificate of 127.0.0.1:")
            .says("--http-ca FILE")
            .says("--http-insecure");
    }
    let json = ask(&sandbox, &address, &["--http-insecure"]).quiet().json();
    assert_eq!(json["total"], 1);
}

#[test]
fn a_certificate_holds_for_its_name_only() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    sandbox.file("ca.pem", &authority.pem);
    let address = authority.serve("db.example", dump());
    ask(&sandbox, &address, &["--http-ca", "ca.pem"])
        .code(2)
        .says("the certificate of 127.0.0.1:")
        .says("db.example");
}

#[test]
fn files_without_certificates_are_no_help() {
    let sandbox = Sandbox::new();
    sandbox.file("ca.pem", "no certificate");
    ask(&sandbox, "127.0.0.1:9", &["--http-ca", "ca.pem"]).code(2).says("ca.pem").says("none");
    let pem = Authority::new().pem;
    sandbox.file("cut.pem", &pem[..pem.len() / 2]);
    let said =
        "cut.pem can't be used: one of them doesn't end, or isn't base64: is the file whole?";
    ask(&sandbox, "127.0.0.1:9", &["--http-ca", "cut.pem"]).code(2).says(said);
    ask(&sandbox, "127.0.0.1:9", &["--http-ca", "gone.pem"]).code(2).says("gone.pem");
    if cfg!(target_os = "linux") {
        ask(&sandbox, "127.0.0.1:9", &["--http-ca", "/dev/zero"]).code(2).says("named_file");
    }
}

#[cfg(unix)]
#[test]
fn certificates_are_read_once_as_they_may_come_from_a_pipe() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    let address = authority.serve("127.0.0.1", dump());
    let url = |more: &str| format!("https://{address}/debug/pprof/goroutine?debug=2{more}");
    let pem = authority.pem.as_bytes();
    let arguments = ["export", "-o", "json", &url(""), &url("&gc=1"), "--http-ca", "/dev/stdin"];
    assert_eq!(sandbox.pipe(arguments, pem).quiet().json()["total"], 2);
    let watch = ["check", &url(""), "--watch", "3", "--every", "0.01s", "--http-ca", "/dev/stdin"];
    sandbox.pipe(watch, pem).code(0).says("3 captures");
}

#[test]
fn a_proxy_with_tls_is_asked_with_the_certificates_that_were_given() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    sandbox.file("ca.pem", &authority.pem);
    let answers = vec!["HTTP/1.1 200 OK\r\n\r\n".to_owned(), dump()];
    let proxy = authority.serve_each("127.0.0.1", answers, true);
    let proxy = [("HTTP_PROXY", format!("https://{proxy}"))];
    let proxy = proxy.each_ref().map(|(name, value)| (*name, value.as_str()));
    let ask = |more: &[&str]| {
        let url = "http://example.test/debug/pprof/goroutine?debug=2";
        sandbox.run_with([&["export", "-o", "json", url], more].concat(), b"", &proxy)
    };
    assert_eq!(ask(&["--http-ca", "ca.pem"]).quiet().json()["total"], 1);
    assert_eq!(ask(&["--http-insecure"]).quiet().json()["total"], 1);
    ask(&[]).code(2).says("the certificate of the proxy 127.0.0.1:");
}

#[test]
fn behind_a_proxy_without_tls_the_certificate_is_that_of_the_server() {
    let sandbox = Sandbox::new();
    let server = Authority::new().serve("example.test", dump());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let proxy = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.expect("a stream");
            let head = BufReader::new(&client).lines();
            for line in head {
                if line.expect("a line").is_empty() {
                    break;
                }
            }
            client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").expect("an answer");
            let mut to_server = TcpStream::connect(&server).expect("the server");
            let mut from_server = to_server.try_clone().expect("a stream");
            let mut to_client = client.try_clone().expect("a stream");
            std::thread::spawn(move || std::io::copy(&mut from_server, &mut to_client));
            let _ = std::io::copy(&mut client, &mut to_server);
            let _ = to_server.shutdown(Shutdown::Write);
        }
    });
    let url = "https://example.test/debug/pprof/goroutine?debug=2";
    let ran = sandbox.run_with(["export", "-o", "json", url], b"", &[("HTTPS_PROXY", &proxy)]);
    ran.code(2).says("the certificate of example.test isn't trusted");
    let trusting = ["export", "-o", "json", url, "--http-insecure"];
    let ran = sandbox.run_with(trusting, b"", &[("HTTPS_PROXY", &proxy)]);
    assert_eq!(ran.quiet().json()["total"], 1);
}

#[test]
fn redirects_stay_encrypted() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    let answer =
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/x\r\nConnection: close\r\n\r\n";
    let address = authority.serve("127.0.0.1", answer.to_owned());
    ask(&sandbox, &address, &["--http-insecure"]).code(2).says("points elsewhere");
}

#[test]
fn the_wrong_scheme_is_told() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    let encrypted = authority.serve("127.0.0.1", dump());
    let url = format!("http://{encrypted}/x");
    sandbox.run(["export", &url]).code(2).says("https:// or http://?");
    let plain = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = plain.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in plain.incoming() {
            let _ = stream.expect("a stream").write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    ask(&sandbox, &address, &[]).code(2).says("https:// or http://?");
}

#[test]
fn an_answer_without_length_is_whole_only_if_the_server_says_so() {
    let (authority, sandbox) = (Authority::new(), Sandbox::new());
    sandbox.file("ca.pem", &authority.pem);
    let answer = format!("HTTP/1.0 200 OK\r\n\r\n{DUMP}");
    let whole = authority.serve_ending("127.0.0.1", answer.clone(), true);
    let json = ask(&sandbox, &whole, &["--http-ca", "ca.pem"]).quiet().json();
    assert_eq!(json["total"], 1);
    let cut = authority.serve_ending("127.0.0.1", answer, false);
    let ran = ask(&sandbox, &cut, &["--http-ca", "ca.pem"]).code(2);
    assert_eq!(ran.says("its connection was cut, not closed").json()["total"], 1);
}
