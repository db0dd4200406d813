//! The proxy that the environment names for an address.

use super::address::{authority, host_of, is_port, port_of};
use crate::error::ErrorKind;
use crate::source::stream::Failure;
use std::net::IpAddr;
use ureq::{Proxy, ProxyProtocol};

/// The proxy for an address, if the environment names one; an error if it can't be used, since
/// whoever names a proxy doesn't want to connect directly.
///
/// As in Go and curl: `HTTP_PROXY` or `HTTPS_PROXY` by scheme, else `ALL_PROXY`, in upper or lower
/// case; `NO_PROXY` lists hosts to connect to directly, as is always done for the own machine.
pub(super) fn proxy_for(
    url: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Proxy>, Failure> {
    let of_scheme = match super::is_safe(url) {
        true => ["HTTPS_PROXY", "https_proxy"],
        false => ["HTTP_PROXY", "http_proxy"],
    };
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let names = of_scheme.into_iter().chain(["ALL_PROXY", "all_proxy"]);
    let Some((name, value)) = names.into_iter().find_map(|name| Some((name, set(name)?))) else {
        return Ok(None);
    };
    let authority = authority(url);
    let direct = set("NO_PROXY").or_else(|| set("no_proxy")).unwrap_or_default();
    // From a proxy, `localhost` would be the proxy's own machine.
    let default = if super::is_safe(url) { "443" } else { "80" };
    let port = port_of(authority).unwrap_or(default);
    if is_loopback(host_of(authority)) || is_listed(host_of(authority), port, &direct) {
        return Ok(None);
    }
    // The value can contain a password.
    let unusable = |why: &str| {
        Failure::new(ErrorKind::Usage, format!("the proxy in {name} can't be used: {why}"))
            .advise(format!("mend it, unset it, or list {} in NO_PROXY", host_of(authority)))
    };
    let proxy = Proxy::new(value.trim()).map_err(|_| unusable("it isn't an address"))?;
    // An invalid port would be replaced by the default one of the scheme.
    let address = value.split_once("://").map_or(value.as_str(), |(_, address)| address).trim();
    let (user, address) = address.rsplit_once('@').unwrap_or(("", address));
    if user.contains(['/', '?', '#']) {
        return Err(unusable("its password holds a /, ? or #, which are written %2F, %3F, %23"));
    }
    let place = address.split(['/', '?', '#']).next().unwrap_or_default();
    if !port_of(place).is_none_or(is_port) {
        return Err(unusable("its port isn't a number from 1 to 65535"));
    }
    match proxy.protocol() {
        ProxyProtocol::Http => Ok(Some(proxy)),
        ProxyProtocol::Https if cfg!(feature = "tls") => Ok(Some(proxy)),
        ProxyProtocol::Https => Err(unusable("this build knows no TLS")),
        _ => Err(unusable("it isn't one of HTTP or HTTPS")),
    }
}

fn is_loopback(host: &str) -> bool {
    let is_loopback = |address: IpAddr| address.to_canonical().is_loopback();
    let host = host.strip_suffix('.').unwrap_or(host);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(is_loopback)
}

/// Whether a list like that of `NO_PROXY` has this host. Entries are names (with all their
/// subdomains), addresses, networks (`10.0.0.0/8`), each with or without a port, or `*`.
fn is_listed(host: &str, port: &str, list: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        if entry == "*" {
            return true;
        }
        if let Some((network, bits)) = entry.split_once('/') {
            let network: Option<IpAddr> = network.parse().ok();
            return address
                .zip(network)
                .zip(bits.parse().ok())
                .is_some_and(|((address, network), bits)| is_in_network(address, network, bits));
        }
        if entry.parse::<IpAddr>().is_ok_and(|entry| Some(entry) == address) {
            return true;
        }
        if port_of(entry).is_some_and(|of_entry| of_entry != port) {
            return false;
        }
        let name = host_of(entry).trim_start_matches('*').trim_start_matches('.');
        let name = name.to_ascii_lowercase();
        host.strip_suffix(&name).filter(|_| !name.is_empty()).is_some_and(|left| {
            // The end of an address is none of its domains.
            left.is_empty() || left.ends_with('.') && address.is_none()
        })
    })
}

fn is_in_network(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    let (address, network, length) = match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            (u128::from(address.to_bits()), u128::from(network.to_bits()), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => (address.to_bits(), network.to_bits(), 128),
        _ => return false,
    };
    let Some(rest) = 32_u32.max(length).checked_sub(bits) else { return false };
    let differing = address ^ network;
    differing.checked_shr(rest).unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(url: &str, variables: &[(&str, &str)]) -> Result<Option<String>, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let found = proxy_for(url, variable).map_err(|failure| failure.error("").to_string())?;
        Ok(found.map(|proxy| format!("{}:{}", proxy.host(), proxy.port())))
    }

    #[test]
    fn the_scheme_decides_which_variable_names_the_proxy() {
        let variables = [("http_proxy", "plain:1"), ("HTTPS_PROXY", "http://safe:2")];
        assert_eq!(proxy("http://h/x", &variables), Ok(Some("plain:1".to_owned())));
        assert_eq!(proxy("https://h/x", &variables), Ok(Some("safe:2".to_owned())));
        assert_eq!(proxy("http://h/x", &[("ALL_PROXY", "any:3")]), Ok(Some("any:3".to_owned())));
        assert_eq!(proxy("http://h/x", &[("HTTP_PROXY", "")]), Ok(None));
        for own in ["localhost:6060", "localhost.:6060", "[::ffff:127.0.0.1]:6060", "127.9.9.9"] {
            assert_eq!(proxy(&format!("http://{own}/x"), &variables), Ok(None), "{own}");
        }
        assert_eq!(proxy("http://[::1]/x", &variables), Ok(None));
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_an_error_that_does_not_repeat_it() {
        for value in [
            "socks5://me:secret@p:1",
            "ftp://me:secret@p",
            "http://me:secret@",
            "::secret",
            "http://me:secret@p:99999",
            "me:secret@p:0",
            "http://me:se/secret@p:1",
            "p:x",
            " ",
        ] {
            let error = proxy("http://h/x", &[("HTTP_PROXY", value)]).unwrap_err();
            assert!(error.contains("HTTP_PROXY"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn listed_hosts_are_asked_directly() {
        let listed =
            |at: &str, list: &str| is_listed(host_of(at), port_of(at).unwrap_or("80"), list);
        for list in ["*", "example.com", ".example.com", "*.example.com", "a, db.example.com"] {
            assert!(listed("db.example.com:6060", list), "{list}");
        }
        assert!(listed("10.1.2.3", "10.0.0.0/8") && !listed("11.1.2.3", "10.0.0.0/8"));
        assert!(listed("10.1.2.3", "0.0.0.0/0") && !listed("10.1.2.3", "10.0.0.0/33"));
        assert!(listed("[fe80::1]:1", "fe80::/10") && listed("[::2]:1", "::2"));
        assert!(listed("h:1", "h:1") && !listed("h:2", "h:1") && listed("h", "h:80"));
        assert!(!listed("192.0.2.2", "0.2.2") && listed("192.0.2.2:80", "192.0.2.2:80"));
        for list in ["", ",", ".", ":80", "*.", "ample.com", "db", "10.0.0.0/x"] {
            assert!(!listed("db.example.com", list), "{list}");
            assert!(!listed("db.example.com.", list), "{list}");
        }
        assert!(listed("db.example.com.", "example.com"));
    }
}
