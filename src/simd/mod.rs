//! Comparing short texts: which of 64 bytes are equal to 64 others.
//!
//! Unsafe code is only in `x86` and `arm`; `Plain` does the same in safe code.
//!
//! Lines of goroutines are short, 45 bytes, so calling a search function (`memchr`) costs more than the
//! search. The code that reads them is therefore compiled once for each [`Kernel`], with that machine's
//! compares inlined.

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The number of bytes that are compared at once.
pub(crate) const WIDTH: usize = 64;

/// How many positions are written at once, even if there are fewer: a test for each would be mispredicted.
/// A window has 1.3 line ends.
pub(crate) const AT_ONCE: usize = 16;

/// The compares of a kind of machine. Only use its methods inside a [`Task`] that it runs: elsewhere they
/// aren't compiled for this machine.
pub(crate) trait Kernel: Copy {
    /// A bit for each byte that is equal in both windows; bit 0 is the first byte.
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64;

    /// The position of the first such byte in a text; optimized for lines, most of which end within two
    /// windows.
    #[inline(always)]
    fn find(self, byte: u8, text: &[u8]) -> Option<usize> {
        let mut from: usize = 0;
        while let Some(window) = text.get(from..).and_then(|text| text.first_chunk()) {
            let found = self.compare(window, &[byte; WIDTH]);
            if found != 0 {
                return Some(from.wrapping_add(found.trailing_zeros() as usize));
            }
            from = from.wrapping_add(WIDTH);
        }
        let rest = text.get(from..)?;
        memchr::memchr(byte, rest).map(|at| from.wrapping_add(at))
    }

    /// Runs a task in a separate function that is compiled for this machine.
    fn run<T: Task>(self, task: T) -> T::Output;
}

/// Code that compares; [`on_this_machine`] or another task runs it.
pub(crate) trait Task {
    type Output;
    /// Implementations are `inline(always)`, so they are compiled for the machine.
    fn run(self, kernel: impl Kernel) -> Self::Output;
}

/// Runs a task with the widest compares that the machine has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn on_this_machine<T: Task>(task: T) -> T::Output {
    if let Some(kernel) = x86::Avx2::detected() { kernel.run(task) } else { x86::Sse2.run(task) }
}

/// Runs a task with the compares that all these machines have.
#[cfg(target_arch = "aarch64")]
pub(crate) fn on_this_machine<T: Task>(task: T) -> T::Output {
    arm::Neon.run(task)
}

/// Runs a task with safe code.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn on_this_machine<T: Task>(task: T) -> T::Output {
    Plain.run(task)
}

/// Prefetches a value into the cache, because it will be needed after other work.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// For any machine: compares byte by byte, which compilers vectorize.
#[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), test))]
#[derive(Clone, Copy)]
struct Plain;

#[cfg(any(not(any(target_arch = "x86_64", target_arch = "aarch64")), test))]
impl Kernel for Plain {
    #[inline(always)]
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64 {
        let bytes = one.iter().zip(other).enumerate();
        bytes.fold(0, |bits, (at, (one, other))| bits | u64::from(one == other) << at)
    }

    /// `memchr` is fast on other machines than x86-64, too.
    #[inline(always)]
    fn find(self, byte: u8, text: &[u8]) -> Option<usize> {
        memchr::memchr(byte, text)
    }

    #[inline(never)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// Writes the positions of bits, `from` added: those of the lowest [`AT_ONCE`] bits. Unused positions have
/// arbitrary values.
#[inline(always)]
pub(crate) fn positions(bits: u64, from: u16, positions: &mut [u16; AT_ONCE]) {
    /// There are rarely more than these.
    const MOSTLY: usize = 4;
    let mut left = bits;
    let mut write = |positions: &mut [u16]| {
        for position in positions {
            *position = from.wrapping_add(left.trailing_zeros() as u16);
            left &= left.wrapping_sub(1);
        }
        left
    };
    let (first, more) = positions.split_at_mut(MOSTLY);
    if write(first) != 0 {
        write(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy)]
    struct Find<'a>(&'a [u8; WIDTH], &'a [u8; WIDTH]);

    impl Task for Find<'_> {
        type Output = (u64, Vec<u16>);

        #[inline(always)]
        fn run(self, kernel: impl Kernel) -> (u64, Vec<u16>) {
            let found = kernel.compare(self.0, self.1);
            let mut all = [0; AT_ONCE];
            positions(found, 1000, &mut all);
            (found, all.into_iter().take(found.count_ones() as usize).collect())
        }
    }

    fn window() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![Just(b'('), any::<u8>()], WIDTH)
    }

    #[derive(Clone, Copy)]
    struct First<'a>(&'a [u8]);

    impl Task for First<'_> {
        type Output = Option<usize>;

        #[inline(always)]
        fn run(self, kernel: impl Kernel) -> Option<usize> {
            kernel.find(b'(', self.0)
        }
    }

    /// Runs a task on each kind of machine that is available here.
    fn on_all_machines<T: Task + Copy>(task: T) -> Vec<T::Output> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "has one more kind"))]
        let mut made = vec![on_this_machine(task), Plain.run(task)];
        #[cfg(target_arch = "x86_64")]
        {
            made.push(x86::Sse2.run(task));
            made.extend(x86::Avx2::detected().map(|kernel| kernel.run(task)));
        }
        made
    }

    proptest! {
        #[test]
        fn a_byte_is_found_where_it_first_stands(
            before in 0..300_usize, has_it in any::<bool>(), behind in "[a(]{0,100}",
        ) {
            let it = if has_it { "(" } else { "" };
            let text = format!("{}{it}{behind}", "a".repeat(before)).into_bytes();
            let first = text.iter().position(|&byte| byte == b'(');
            for found in on_all_machines(First(&text)) {
                prop_assert_eq!(found, first);
            }
        }
    }

    proptest! {
        #[test]
        fn all_machines_find_the_same(one in window(), other in window()) {
            let chunk = |text: &[u8]| *text.first_chunk().expect("that many bytes");
            let (one, other) = (chunk(&one), chunk(&other));
            let find = Find(&one, &other);
            let all = on_all_machines(find);
            let same: Vec<u16> = (0..WIDTH as u16)
                .filter(|&at| one[at as usize] == other[at as usize])
                .collect();
            let bits = same.iter().fold(0, |bits, at| bits | 1 << at);
            let positions: Vec<u16> = same.iter().take(AT_ONCE).map(|at| 1000 + at).collect();
            for found in all {
                prop_assert_eq!(&found, &(bits, positions.clone()));
            }
        }
    }
}
