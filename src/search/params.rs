//! The numbers that the search and its playouts can be tuned by, in one table: name, default, bounds, meaning.

/// A row of the table.
pub struct Param {
    /// Its name in `[Search]` of engine.toml, in `--set` and in `kata-set-param`.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// The value it has unless told otherwise.
    pub default: f64,
    /// The least value it may have.
    pub min: f64,
    /// The greatest value it may have.
    pub max: f64,
    /// Reads it.
    pub get: fn(&Params) -> f64,
    set: fn(&mut Params, f64),
}

macro_rules! params {
    ($($field:ident $name:literal = $default:literal, $min:literal..=$max:literal, $help:literal;)*) => {
        /// A value for every row of the table.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Params {
            $(#[doc = $help] pub $field: f64,)*
        }

        /// Every parameter, in the order in which they are listed.
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
    rave_equivalence "RaveEquivalence" = 3000.0, 0.0..=1e9, "Playouts at which a move's own result weighs as much as that of all moves as first; 0 turns the latter off.";
    uct_exploration "UctExploration" = 0.0, 0.0..=10.0, "Weight of the bonus for moves that were seldom tried.";
    expand_after "ExpandAfter" = 2.0, 1.0..=1e6, "Playouts through a leaf of the tree before its moves are added.";
    prior_weight "PriorWeight" = 20.0, 0.0..=1e6, "Playouts that a move's prior counts as.";
    pass_prior "PassPrior" = 0.1, 0.0..=1.0, "Prior value of a pass.";
    score_weight "ScoreWeight" = 0.02, 0.0..=0.5, "Share of the margin in a playout's result; the rest is whether it is won.";
    resign_below "ResignBelow" = 0.08, 0.0..=0.5, "Chance to win under which a game looks lost.";
    resign_consec_turns "ResignConsecTurns" = 3.0, 1.0..=1000.0, "Moves in a row that must look lost before the game is given up.";
    handicap_points "HandicapPoints" = 7.0, 0.0..=30.0, "Points that a handicap stone is worth in White's favour while a game is young.";
    handicap_moves "HandicapMoves" = 0.4, 0.0..=10.0, "Moves for each point of the board until that is worth nothing.";
    playout_capture "PlayoutCapture" = 0.6, 0.0..=1.0, "Chance that a playout looks for stones to take beside the last two moves.";
    playout_capture_caught "PlayoutCaptureCaught" = 0.2, 0.0..=1.0, "Chance that it then also takes stones that could not stretch anyway.";
    playout_escape "PlayoutEscape" = 0.9, 0.0..=1.0, "Chance that a playout saves a ren that the last move put in atari.";
    playout_two_liberties "PlayoutTwoLiberties" = 0.5, 0.0..=1.0, "Chance that a playout decides about rens of two liberties beside the last move.";
    playout_nakade "PlayoutNakade" = 0.5, 0.0..=1.0, "Chance that a playout plays the vital point of an eye space beside the last move.";
    playout_pattern "PlayoutPattern" = 0.9, 0.0..=1.0, "Chance that a playout answers the last move by a 3x3 pattern beside it.";
    playout_pattern_before "PlayoutPatternBefore" = 0.0, 0.0..=1.0, "Chance that a playout otherwise plays a 3x3 pattern beside its own move before.";
    net_min_visits "NetMinVisits" = 8.0, 1.0..=1e6, "Playouts through a position before the net is asked about it.";
    cpuct "Cpuct" = 1.0, 0.0..=10.0, "Weight of the bonus for moves that the net likes and that were seldom tried.";
    net_rave "NetRave" = 300.0, 0.0..=1e9, "RaveEquivalence where the net has been asked.";
    fpu_reduction "FpuReduction" = 0.1, -1.0..=1.0, "How much less than the position so far a move that was not tried is taken to be worth, where the net has been asked.";
    net_value_weight "NetValueWeight" = 0.2, 0.0..=1.0, "Share of the net's opinion on who wins in a playout's result, the less of it the less playouts leave that open.";
    prior_atari "PriorAtari" = 1.5, 0.0..=100.0, "Weight of captures and escapes in priors, as a multiple of PriorWeight.";
    prior_ladder "PriorLadder" = 1.0, 0.0..=100.0, "Weight of ataris that catch a ren in a ladder, as a multiple of PriorWeight.";
    prior_self_atari "PriorSelfAtari" = 1.0, 0.0..=100.0, "Weight against giving stones away, as a multiple of PriorWeight.";
    prior_pattern "PriorPattern" = 1.0, 0.0..=100.0, "Weight of 3x3 patterns, as a multiple of PriorWeight; beside the last move.";
    prior_distance "PriorDistance" = 0.5, 0.0..=100.0, "Weight of being next to the last move, as a multiple of PriorWeight; less the farther away.";
    prior_edge "PriorEdge" = 0.75, 0.0..=100.0, "Weight of the lines of the board where no stone is near, as a multiple of PriorWeight.";
}

/// Why a parameter cannot be set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamError {
    /// There is none of that name.
    Unknown,
    /// The value is not within the row's bounds.
    Range {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
}

/// The row of this name. Names are case-sensitive.
pub fn find(name: &str) -> Option<&'static Param> {
    PARAMS.iter().find(|param| param.name == name)
}

impl Params {
    /// Sets one by name.
    ///
    /// # Errors
    /// [`ParamError`]; nothing is changed then.
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
    fn every_row_is_sound() {
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
    fn a_refused_value_changes_nothing() {
        let mut params = Params::default();
        assert_eq!(params.set("Nonsense", 1.0), Err(ParamError::Unknown));
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(params.set("PlayoutCapture", value), Err(ParamError::Range { min: 0.0, max: 1.0 }));
        }
        assert_eq!(params, Params::default());
    }
}
