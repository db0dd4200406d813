//! What samples add up to.

use super::options::mean;
use std::ops::{AddAssign, Sub};

/// The sums of some samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// Their value.
    pub value: i128,
    /// The value of those that are subtracted, where these are told apart.
    pub base: i128,
    /// What their mean is divided by; 0 unless means were requested.
    pub divisor: i128,
}

impl Sums {
    /// The mean; the value if there is nothing to divide it by.
    pub fn mean(&self) -> i128 {
        mean(self.value, self.divisor)
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.value += other.value;
        self.base += other.base;
        self.divisor += other.divisor;
    }
}

impl Sub for Sums {
    type Output = Sums;

    fn sub(self, other: Sums) -> Sums {
        Sums {
            value: self.value - other.value,
            base: self.base - other.base,
            divisor: self.divisor - other.divisor,
        }
    }
}
