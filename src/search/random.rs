//! Random numbers of the standard normal distribution.

use std::f64::consts::TAU;

use fastrand::Rng;

/// A random number with a normal distribution of mean 0 and standard deviation 1. Source: G. Box and M. Muller, "A note
/// on the generation of random normal deviates", 1958.
pub(crate) fn standard_normal(rng: &mut Rng) -> f64 {
    // from (0, 1], because the logarithm of 0 is infinite
    let uniform = 1.0 - rng.f64();
    (-2.0 * uniform.ln()).sqrt() * (TAU * rng.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_0_and_1() {
        let mut rng = Rng::with_seed(2);
        let numbers: Vec<f64> = (0..10_000).map(|_| standard_normal(&mut rng)).collect();
        let mean = numbers.iter().sum::<f64>() / 10_000.0;
        let square = numbers.iter().map(|number| number * number).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.04 && (square - 1.0).abs() < 0.06, "{mean} {square}");
    }
}
