//! A deadline for everything on a connection, the answer of a proxy and the greetings of TLS too.
//!
//! ureq gives each read of those the time for all of them, so a proxy that sends a byte a minute would be
//! waited for as long as it likes.

use std::time::{Duration, Instant};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// Ends connections this long after they are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(pub(super) Duration);

impl<In: Transport> Connector<In> for Deadline {
    type Out = Timed<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Timed<In>>, Error> {
        Ok(chained.map(|inner| Timed { inner, made: Instant::now(), allowed: self.0 }))
    }
}

/// A connection that ends in time.
#[derive(Debug)]
pub(super) struct Timed<In> {
    inner: In,
    made: Instant,
    allowed: Duration,
}

impl<In: Transport> Transport for Timed<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        match self.made.elapsed() < self.allowed {
            true => self.inner.await_input(timeout),
            false => Err(Error::Timeout(Timeout::Global)),
        }
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
