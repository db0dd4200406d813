//! How and when a connection ends: ureq reports neither a cut, nor ends one whose proxy goes on answering.
//!
//! A response without a length and without chunks ends when the connection does. Then a server that
//! has sent everything differs from a connection that was cut only in how the connection was
//! closed: properly by `close_notify` with TLS, or without a reset otherwise.
//!
//! ureq gives each read of a proxy's answer the time for all of it, so a proxy that sends a byte a minute would
//! be waited for as long as it likes.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// Whether the connection was cut instead of closed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut(Arc<AtomicBool>);

impl Cut {
    /// Whether a cut was seen.
    pub(super) fn was_seen(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Watches connections, and ends them when this time is over.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) cut: Cut,
    pub(super) allowed: Duration,
}

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Watched<In>>, Error> {
        let ends = Instant::now().checked_add(self.allowed);
        Ok(chained.map(|inner| Watched { inner, cut: self.cut.clone(), ends }))
    }
}

/// A connection that notes how it ends, and ends in time.
#[derive(Debug)]
pub(super) struct Watched<In> {
    inner: In,
    cut: Cut,
    /// Never, if no clock goes that far.
    ends: Option<Instant>,
}

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if self.ends.is_some_and(|ends| Instant::now() >= ends) {
            return Err(Error::Timeout(Timeout::Global));
        }
        let awaited = self.inner.await_input(timeout);
        if let Err(Error::Io(error)) = &awaited
            && matches!(
                error.kind(),
                ErrorKind::UnexpectedEof
                    | ErrorKind::ConnectionReset
                    | ErrorKind::ConnectionAborted
            )
        {
            self.cut.0.store(true, Ordering::Relaxed);
        }
        awaited
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
