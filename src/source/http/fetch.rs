//! One GET.

use super::super::stream::Failure;
use super::address::{authority, shown};
#[cfg(feature = "tls")]
use super::certificates::tls;
use super::ending::{Cut, Watch};
use super::{Client, is_safe, proxy};
use crate::error::ErrorKind;
use crate::limits::LIMITS;
use fluent_uri::{Uri, UriRef};
use std::io::{self, Read};
use std::time::{Duration, Instant};
use ureq::http::Response;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};
use ureq::{Agent, Body, Proxy, ProxyProtocol, Timeout};

/// Requests an address, following redirects.
pub(super) fn get(client: &Client, url: &str) -> Result<Box<dyn Read>, Failure> {
    let patience = Patience::of(client, url);
    let started = Instant::now();
    let cut = Cut::default();
    let mut url = url.to_owned();
    let mut is_secret = !client.headers.is_empty();
    for _ in 0..=LIMITS.http_redirects {
        // A redirect can lead from HTTP to TLS, which has a proxy and certificates of its own.
        // One that isn't UTF-8 is no address either, and must not count as unset.
        let set = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
        let proxy = proxy::proxy_for(&url, set)?;
        let peers = Peers::of(&url, proxy.as_ref());
        is_secret |=
            has_secret(&url) || proxy.as_ref().is_some_and(|proxy| proxy.username().is_some());
        // Redirects have the time of one request together.
        let left = Patience { whole: patience.whole.saturating_sub(started.elapsed()), ..patience };
        let agent = agent(client, &url, proxy, left, &cut)?;
        let mut request = agent.get(&url);
        for (name, value) in &client.headers {
            request = request.header(name, value);
        }
        check_threads()?;
        let response = request.call().map_err(|error| failed(error, &peers, patience))?;
        match response.status().as_u16() {
            200 if is_page(&response) => {
                return Err(Failure::new(
                    ErrorKind::Unknown,
                    "is a page for people, not a profile",
                )
                .advise(name_a_profile(&url)));
            }
            200 => {
                let reader = response.into_body().into_reader();
                return Ok(Box::new(Answer { reader, peers, patience, cut }));
            }
            301 | 302 | 303 | 307 | 308 => url = redirected(&url, &response, is_secret)?,
            _ => return Err(refused(response, &url, is_secret)),
        }
    }
    Err(Failure::new(
        ErrorKind::Io,
        format!("redirects more than {} times (http_redirects)", LIMITS.http_redirects),
    ))
}

/// An error if no thread can be started: ureq needs one to look up a host, and panics without.
fn check_threads() -> Result<(), Failure> {
    let started = std::thread::Builder::new().spawn(|| ());
    started.map(drop).map_err(|error| {
        let what = format!("needs a thread to look up the host: {error}");
        Failure::new(ErrorKind::Io, what)
    })
}

/// Who can be the reason of a failure, as messages name them.
struct Peers {
    /// With whom the connection is made: the proxy, or the server.
    connected: String,
    /// Who speaks TLS.
    with_tls: String,
    /// Who answers.
    server: String,
}

impl Peers {
    fn of(url: &str, proxy: Option<&Proxy>) -> Peers {
        let server = authority(url).to_owned();
        let Some(proxy) = proxy else {
            return Peers { connected: server.clone(), with_tls: server.clone(), server };
        };
        // Without its password.
        let connected = format!("the proxy {}:{}", proxy.host(), proxy.port());
        let with_tls = match (has_tls(proxy), is_safe(url)) {
            (true, true) => format!("{server} or {connected}"),
            (true, false) => connected.clone(),
            (false, _) => server.clone(),
        };
        Peers { connected, with_tls, server }
    }
}

fn has_tls(proxy: &Proxy) -> bool {
    proxy.protocol() == ProxyProtocol::Https
}

/// Timeouts of a request.
#[derive(Clone, Copy)]
struct Patience {
    /// For the next bytes.
    silence: Duration,
    /// For the whole response: a server that keeps sending a byte a minute is given up too.
    whole: Duration,
}

impl Patience {
    fn of(client: &Client, url: &str) -> Patience {
        let silence = client.patience(url);
        Patience { silence, whole: silence.saturating_add(client.deadline) }
    }
}

fn agent(
    client: &Client,
    url: &str,
    proxy: Option<Proxy>,
    patience: Patience,
    cut: &Cut,
) -> Result<Agent, Failure> {
    #[cfg(feature = "tls")]
    let needs_tls = is_safe(url) || proxy.as_ref().is_some_and(has_tls);
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // A server may close the connection behind a redirect.
        .max_idle_connections(0)
        .user_agent(concat!("stackgazer/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(client.timeout))
        .timeout_connect(Some(client.timeout))
        .timeout_recv_response(Some(patience.silence))
        .timeout_per_read(Some(patience.silence))
        .timeout_global(Some(patience.whole))
        .proxy(proxy);
    #[cfg(feature = "tls")]
    let config = if needs_tls { config.tls_config(tls(client)?) } else { config };
    #[cfg(not(feature = "tls"))]
    if is_safe(url) {
        return Err(super::unsupported(url, "this build knows no TLS"));
    }
    let watch = Watch { cut: cut.clone(), allowed: patience.whole };
    let connector = DefaultConnector::new().chain(watch);
    Ok(Agent::with_parts(config.build(), connector, DefaultResolver::default()))
}

fn is_page(response: &Response<Body>) -> bool {
    let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.trim_start().starts_with("text/html"))
}

fn name_a_profile(url: &str) -> String {
    format!("name one: {}goroutine?debug=2", index(url))
}

/// The address where net/http/pprof lists its profiles.
fn index(url: &str) -> String {
    format!("{}/debug/pprof/", origin(url))
}

/// The scheme and the host of an address.
fn origin(url: &str) -> String {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    format!("{scheme}://{}", authority(url))
}

/// Whether an address has values that can be tokens.
fn has_secret(url: &str) -> bool {
    shown(url) != url
}

/// The target of a redirect, which has to be on the same host. If something secret was sent, only the host
/// of another one is shown: it can repeat that anywhere else, in any encoding.
fn redirected(url: &str, response: &Response<Body>, is_secret: bool) -> Result<String, Failure> {
    let status = response.status();
    let to = response.headers().get("location").and_then(|to| to.to_str().ok());
    let Some(to) = to else {
        return Err(Failure::new(ErrorKind::Io, format!("answers {status} but not where to go")));
    };
    let Some(whole) = target(url, to) else {
        let what = format!("answers {status} and points to what is no address");
        return Err(Failure::new(ErrorKind::Io, what).advise("name the address that is right"));
    };
    // An address with TLS must not lead to one without.
    let unsafe_now = is_safe(url) && !is_safe(&whole);
    if authority(&whole) != authority(url) || unsafe_now {
        let elsewhere = match shown(&whole) {
            whole if is_secret => origin(&whole),
            whole => whole,
        };
        let what = format!("answers {status} and points elsewhere: {elsewhere}");
        return Err(Failure::new(ErrorKind::Io, what).advise("name that address if it is right"));
    }
    Ok(whole)
}

/// What a `Location` means in the answer of an address (RFC 3986), without a fragment; `None` if that is no address of a
/// host.
fn target(url: &str, to: &str) -> Option<String> {
    let base = url.split('#').next().unwrap_or_default();
    let whole = UriRef::parse(to).ok()?.resolve_against(&Uri::parse(base).ok()?).ok()?;
    // `http:me:secret@host` is a path, in which the password isn't seen.
    whole.authority()?;
    whole.as_str().split('#').next().map(str::to_owned)
}

/// The failure for a response other than 200.
///
/// Its text isn't shown if something secret was sent: many servers repeat that, whole or in parts, in any
/// encoding. Those of net/http/pprof, which marks them, don't.
fn refused(response: Response<Body>, url: &str, is_secret: bool) -> Failure {
    let status = response.status();
    let mut body = Vec::new();
    let page = is_page(&response);
    let is_hidden = is_secret && !response.headers().contains_key("x-go-pprof");
    // Whatever could be read of it has to do.
    let _ = response.into_body().into_reader().take(LIMITS.http_explanation).read_to_end(&mut body);
    let text = String::from_utf8_lossy(&body);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !page);
    let what = match line {
        Some(_) if is_hidden => format!(
            "the server answers {status}; its text isn't shown, as it can repeat what was sent"
        ),
        Some(line) => format!("the server answers {status}: {line}"),
        None => format!("the server answers {status}"),
    };
    let failure = Failure::new(ErrorKind::Io, what);
    match status.as_u16() {
        401 | 403 => failure.advise("give --http-header 'Authorization: ...'"),
        404 if text.contains("Unknown profile") => {
            failure.advise(format!("see {} for those it has", index(url)))
        }
        404 => failure.advise(
            "the program has to import _ \"net/http/pprof\" and to serve http.DefaultServeMux there",
        ),
        // The response of net/http/pprof if `seconds` exceeds the server's WriteTimeout.
        400 if text.contains("WriteTimeout") => failure.advise("ask for fewer seconds"),
        405 | 406 | 415 => failure.advise(name_a_profile(url)),
        _ => failure,
    }
}

/// The failure for a request without a response.
fn failed(error: ureq::Error, peers: &Peers, patience: Patience) -> Failure {
    let Peers { connected, server, .. } = peers;
    match error {
        ureq::Error::Timeout(Timeout::Global) => {
            let seconds = patience.whole.as_secs_f32();
            too_slow(format!("isn't through after {seconds} seconds (http_deadline)"))
        }
        // Bytes of its header may have come.
        ureq::Error::Timeout(Timeout::RecvResponse) => {
            too_slow(format!("no answer came within {} seconds", patience.silence.as_secs_f32()))
        }
        ureq::Error::Timeout(_) => {
            too_slow(format!("nothing came for {} seconds", patience.silence.as_secs_f32()))
        }
        ureq::Error::HostNotFound => {
            Failure::new(ErrorKind::Io, format!("there is no host {connected}"))
        }
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Failure::new(ErrorKind::Usage, "is no address that can be asked")
        }
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            Failure::new(ErrorKind::Io, format!("nothing listens at {connected}"))
                .advise("is the program running, and is that its port?")
        }
        ureq::Error::ConnectionFailed => {
            Failure::new(ErrorKind::Io, format!("{connected} can't be reached"))
        }
        ureq::Error::ConnectProxyFailed(what) => {
            Failure::new(ErrorKind::Io, format!("{connected} doesn't lead to {server}: {what}"))
        }
        ureq::Error::Protocol(what) => {
            // Behind a proxy nothing tells whose answer it is.
            let who =
                if connected == server { server } else { &format!("{server} or {connected}") };
            Failure::new(ErrorKind::Io, format!("{who} doesn't speak HTTP: {what}"))
                .advise("https:// or http://?")
        }
        error => by_text(&error.to_string(), peers),
    }
}

/// Errors of TLS come as text, in an error of their own or in one of the connection.
fn by_text(what: &str, peers: &Peers) -> Failure {
    let Peers { connected, with_tls, .. } = peers;
    if let Some((_, why)) = what.split_once("invalid peer certificate: ") {
        let is_of_authority = why.contains("CaUsedAsEndEntity");
        let why = match why {
            "UnknownIssuer" => "who issued it isn't known",
            _ if is_of_authority => "it is made for an authority, not a server",
            why => why,
        };
        let what = format!("the certificate of {with_tls} isn't trusted: {why}");
        return Failure::new(ErrorKind::Io, what).advise(match is_of_authority {
            // As `openssl req -x509` makes them; no list of trusted ones changes that.
            true => "make one with CA:FALSE, or trust any with --http-insecure",
            false => "--http-ca FILE trusts those in FILE, --http-insecure trusts any",
        });
    }
    if what.contains("received corrupt message") {
        return Failure::new(ErrorKind::Io, format!("{with_tls} doesn't speak TLS"))
            .advise("https:// or http://?");
    }
    if let Some((_, why)) = what.split_once("failed to lookup address information: ") {
        return Failure::new(ErrorKind::Io, format!("{connected} can't be looked up: {why}"));
    }
    Failure::new(ErrorKind::Io, what.strip_prefix("io: ").unwrap_or(what))
}

fn too_slow(what: String) -> Failure {
    Failure::new(ErrorKind::Io, what)
        .with_valid_prefix()
        .advise("give more with --http-timeout SECONDS")
}

/// A response that is being read.
struct Answer {
    reader: ureq::BodyReader<'static>,
    peers: Peers,
    patience: Patience,
    cut: Cut,
}

impl Read for Answer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer);
        if matches!(read, Ok(0)) && !buffer.is_empty() && self.cut.was_seen() {
            let what = "the answer ends too early: its connection was cut, not closed";
            return Err(Failure::new(ErrorKind::Io, what).with_valid_prefix().into());
        }
        read.map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let ended = error.kind() == io::ErrorKind::UnexpectedEof;
            let failure = match ureq::Error::from(error) {
                _ if ended => Failure::new(ErrorKind::Io, "the answer ends too early"),
                error => failed(error, &self.peers, self.patience),
            };
            // The bytes before it are what the server sent.
            failure.with_valid_prefix().into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_that_answers_byte_by_byte_is_given_up() {
        use std::io::Write;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Proxy::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut sent = stream.write_all(b"HTTP/1.1 200 OK\r\nX: ");
            while sent.is_ok() {
                std::thread::sleep(Duration::from_millis(20));
                sent = stream.write_all(b"x");
            }
        });
        let client = Client { timeout: Duration::from_millis(300), ..Client::default() };
        let patience =
            Patience { silence: Duration::from_millis(300), whole: Duration::from_millis(400) };
        // Of a network that is for documentation.
        let url = "http://192.0.2.1/";
        let agent = agent(&client, url, Some(proxy), patience, &Cut::default());
        let answer = agent.unwrap_or_else(|failure| panic!("{failure}")).get(url).call();
        assert!(matches!(answer, Err(ureq::Error::Timeout(Timeout::Global))), "{answer:?}");
        server.join().unwrap();
    }

    #[test]
    fn redirects_have_the_time_of_one_request_together() {
        use std::io::Write;
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        // Each answer is in time, all of them aren't.
        let step = Duration::from_millis(200);
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                std::thread::sleep(step);
                let answer = b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n";
                let _ = stream.write_all(answer);
            }
        });
        let client = Client { timeout: step * 2, deadline: step, ..Client::default() };
        let failure = get(&client, &url).map(|_| ()).unwrap_err().to_string();
        assert!(failure.contains("(http_deadline)"), "{failure}");
    }

    #[test]
    fn a_redirect_leads_where_browsers_go() {
        let url = "http://h:80/a/b/c?x=1";
        for (to, expected) in [
            ("/d", Some("http://h:80/d")),
            ("d?y=2#z", Some("http://h:80/a/b/d?y=2")),
            ("?y=2", Some("http://h:80/a/b/c?y=2")),
            ("../d/", Some("http://h:80/a/d/")),
            ("./../../../d", Some("http://h:80/d")),
            ("", Some("http://h:80/a/b/c?x=1")),
            ("#z", Some("http://h:80/a/b/c?x=1")),
            ("//g/d", Some("http://g/d")),
            ("https://h:80/d", Some("https://h:80/d")),
            ("http://h:80/a b", None),
        ] {
            assert_eq!(target(url, to).as_deref(), expected, "{to}");
        }
        assert_eq!(target("http://h#x", "d").as_deref(), Some("http://h/d"));
    }
}
