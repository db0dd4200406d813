//! How a connection ended, which ureq doesn't report.
//!
//! A response without a length and without chunks ends when the connection does. Then a server that
//! has sent everything differs from a connection that was cut only in how the connection was
//! closed: properly by `close_notify` with TLS, or without a reset otherwise.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// Whether the connection was cut instead of closed.
#[derive(Clone, Debug, Default)]
pub(super) struct Cut(Arc<AtomicBool>);

impl Cut {
    /// Whether a cut was seen.
    pub(super) fn was_seen(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<In: Transport> Connector<In> for Cut {
    type Out = Watched<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Watched<In>>, Error> {
        Ok(chained.map(|inner| Watched { inner, cut: self.clone() }))
    }
}

/// A connection that notes how it ends.
#[derive(Debug)]
pub(super) struct Watched<In> {
    inner: In,
    cut: Cut,
}

impl<In: Transport> Transport for Watched<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
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
