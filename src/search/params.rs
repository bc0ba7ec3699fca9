//! Tunable parameters of search, playouts, resigning and virtual komi, in one table: name, default, bounds,
//! description.

use crate::playout::heavy::StepProbabilities;

/// A parameter.
pub struct Param {
    /// Name in `[Search]` of engine.toml, in `--set` and in `kata-set-param`.
    pub name: &'static str,
    /// Description in one line.
    pub help: &'static str,
    /// Default value.
    pub default: f64,
    /// Minimum, inclusive.
    pub min: f64,
    /// Maximum, inclusive.
    pub max: f64,
    /// Reads its value.
    pub get: fn(&Params) -> f64,
    set: fn(&mut Params, f64),
}

macro_rules! params {
    ($($field:ident $name:literal = $default:expr, $min:literal..=$max:literal, $help:literal;)*) => {
        /// A value of every parameter.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Params {
            $(#[doc = $help] pub $field: f64,)*
        }

        /// Every parameter, in the order in which `--print-config` lists them.
        pub static PARAMS: &[Param] = &[$(Param {
            name: $name,
            help: $help,
            default: $default,
            min: $min,
            max: $max,
            get: |params| params.$field,
            set: |params, value| params.$field = value,
        }),*];

        impl Default for Params {
            fn default() -> Params {
                Params { $($field: $default),* }
            }
        }
    };
}

params! {
    rave_equivalence "RaveEquivalence" = 3000.0, 0.0..=1e9, "RAVE equivalence: visits at which a move's own value weighs as much as its RAVE value; 0 turns RAVE off.";
    uct_exploration "UctExploration" = 0.0, 0.0..=10.0, "UCT exploration constant: weight of the bonus for rarely visited moves, at nodes without a policy.";
    expand_after "ExpandAfter" = 2.0, 1.0..=1e6, "Visits of a leaf beyond which it is expanded.";
    prior_weight "PriorWeight" = 20.0, 0.0..=1e6, "Virtual playouts per unit of prior weight.";
    pass_prior "PassPrior" = 0.1, 0.0..=1.0, "Prior value of a pass.";
    score_weight "ScoreWeight" = 0.02, 0.0..=0.5, "Share of the score in a playout's result; the rest is win or loss.";
    resign_below "ResignBelow" = 0.08, 0.0..=0.5, "Win probability below which a move counts towards resigning.";
    resign_consec_turns "ResignConsecTurns" = 3.0, 1.0..=1000.0, "Consecutive own moves below that win probability before resigning.";
    handicap_points "HandicapPoints" = 7.0, 0.0..=30.0, "Virtual komi: points per handicap stone added for White at the start of a game.";
    handicap_moves "HandicapMoves" = 0.4, 0.0..=10.0, "Moves per board point over which the virtual komi falls to 0.";
    playout_capture "PlayoutCapture" = StepProbabilities::DEFAULT.capture, 0.0..=1.0, "Playout: probability of looking for captures beside the last two moves.";
    playout_capture_caught "PlayoutCaptureCaught" = StepProbabilities::DEFAULT.capture_caught, 0.0..=1.0, "Playout: probability that those include stones that could not escape.";
    playout_escape "PlayoutEscape" = StepProbabilities::DEFAULT.escape, 0.0..=1.0, "Playout: probability of saving a ren put in atari by the last move.";
    playout_two_liberties "PlayoutTwoLiberties" = StepProbabilities::DEFAULT.two_liberties, 0.0..=1.0, "Playout: probability of attacking or defending rens with two liberties beside the last move.";
    playout_nakade "PlayoutNakade" = StepProbabilities::DEFAULT.nakade, 0.0..=1.0, "Playout: probability of playing the vital point of an eye space beside the last move (nakade).";
    playout_pattern "PlayoutPattern" = StepProbabilities::DEFAULT.pattern, 0.0..=1.0, "Playout: probability of playing a 3x3 pattern beside the last move.";
    playout_pattern_before "PlayoutPatternBefore" = StepProbabilities::DEFAULT.pattern_before, 0.0..=1.0, "Playout: probability of otherwise playing a 3x3 pattern beside the own previous move.";
    net_min_visits "NetMinVisits" = 8.0, 1.0..=1e6, "Visits of a node before the net evaluates it.";
    cpuct "Cpuct" = 1.0, 0.0..=10.0, "PUCT exploration constant (Cpuct): weight of the policy's bonus at evaluated nodes.";
    net_rave "NetRave" = 300.0, 0.0..=1e9, "RAVE equivalence at evaluated nodes; 0 turns RAVE off there.";
    fpu_reduction "FpuReduction" = 0.1, -1.0..=1.0, "FPU reduction: an unvisited move at an evaluated node is valued this much below the node.";
    net_value_weight "NetValueWeight" = 0.2, 0.0..=1.0, "Weight of the net's value in playout results while the outcome is uncertain; it falls to 0 as the outcome becomes certain.";
    prior_atari "PriorAtari" = 1.5, 0.0..=100.0, "Prior weight of captures and escapes, in units of PriorWeight.";
    prior_ladder "PriorLadder" = 1.0, 0.0..=100.0, "Prior weight of an atari that captures in a ladder, in units of PriorWeight.";
    prior_self_atari "PriorSelfAtari" = 1.0, 0.0..=100.0, "Prior weight against bad self-atari, in units of PriorWeight.";
    prior_pattern "PriorPattern" = 1.0, 0.0..=100.0, "Prior weight of 3x3 patterns beside the last two moves, in units of PriorWeight; a quarter of it elsewhere.";
    prior_distance "PriorDistance" = 0.5, 0.0..=100.0, "Prior weight at distance 1 from the last move, in units of PriorWeight; divided by the distance, up to 4.";
    prior_edge "PriorEdge" = 0.75, 0.0..=100.0, "Prior weight for or against the lines near the edge where no stone is near, in units of PriorWeight.";
}

impl Params {
    /// The parameters of the playout policy.
    pub fn step_probabilities(&self) -> StepProbabilities {
        StepProbabilities {
            capture: self.playout_capture,
            capture_caught: self.playout_capture_caught,
            escape: self.playout_escape,
            two_liberties: self.playout_two_liberties,
            nakade: self.playout_nakade,
            pattern: self.playout_pattern,
            pattern_before: self.playout_pattern_before,
        }
    }
}

/// Why a parameter was not set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamError {
    /// No parameter has this name.
    Unknown,
    /// The value is out of bounds or no number.
    Range {
        /// Minimum, inclusive.
        min: f64,
        /// Maximum, inclusive.
        max: f64,
    },
}

/// The parameter of this name; names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Param> {
    PARAMS.iter().find(|param| param.name == name)
}

impl Params {
    /// Sets a parameter by name.
    ///
    /// # Errors
    /// [`ParamError`] for an unknown name or a value out of bounds; nothing is changed then.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ParamError> {
        let param = find(name).ok_or(ParamError::Unknown)?;
        if !(param.min..=param.max).contains(&value) {
            return Err(ParamError::Range { min: param.min, max: param.max });
        }
        (param.set)(self, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn rows_are_unique_and_set_their_field() {
        let default = Params::default();
        for (number, param) in PARAMS.iter().enumerate() {
            assert!(PARAMS.iter().skip(number + 1).all(|other| other.name != param.name), "{} twice", param.name);
            assert_eq!((param.get)(&default), param.default, "{}", param.name);
            assert!(param.help.ends_with('.'), "{}", param.name);
            let mut params = default;
            for value in [param.min, param.max, param.default] {
                params.set(param.name, value).unwrap();
                assert_eq!((param.get)(&params), value, "{}", param.name);
            }
            assert_eq!(params, default);
        }
    }

    #[test]
    fn refused_value_changes_nothing() {
        let mut params = Params::default();
        assert_eq!(params.set("Nonsense", 1.0), Err(ParamError::Unknown));
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(params.set("PlayoutCapture", value), Err(ParamError::Range { min: 0.0, max: 1.0 }));
        }
        assert_eq!(params, Params::default());
    }
}
