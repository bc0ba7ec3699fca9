//! Tunable parameters of search, playouts, resigning and virtual komi, in one table: name, default, bounds,
//! description.

use std::fmt;

use crate::kernel::Coordinate;
use crate::net::Net;
use crate::playout::heavy::StepProbabilities;

/// A parameter.
pub struct Param {
    /// Name in `[Search]` of engine.toml, in `--set` and in `kata-set-param`.
    pub name: &'static str,
    /// Description in one line.
    pub help: &'static str,
    /// Type of its values.
    pub kind: ParamKind,
    /// Minimum, inclusive.
    pub min: f64,
    /// Maximum, inclusive.
    pub max: f64,
    scope: ParamScope,
    /// Reads its value; of a switch, 1 or 0.
    pub get: fn(&Params) -> f64,
    set: fn(&mut Params, f64),
}

/// The type of a parameter's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamKind {
    /// A finite number.
    Number,
    /// A whole number.
    Integer,
    /// A switch.
    Boolean,
}

/// The part of the program on which a parameter acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ParamScope {
    PlayoutSearch,
    NetSearch,
    /// The player, which chooses the kind of search, its virtual komi and the noise of an analysis, and resigns.
    Player,
}

/// A type of fields of [`Params`], with its conversion from and to the common number type.
trait ParamValue: Copy {
    const KIND: ParamKind;
    /// From a number that [`Params::set`] has checked.
    fn from_number(number: f64) -> Self;
    fn number(self) -> f64;
}

impl ParamValue for f64 {
    const KIND: ParamKind = ParamKind::Number;

    fn from_number(number: f64) -> f64 {
        number
    }

    fn number(self) -> f64 {
        self
    }
}

impl ParamValue for u32 {
    const KIND: ParamKind = ParamKind::Integer;

    fn from_number(number: f64) -> u32 {
        number as u32
    }

    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl ParamValue for bool {
    const KIND: ParamKind = ParamKind::Boolean;

    fn from_number(number: f64) -> bool {
        number != 0.0
    }

    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

macro_rules! params {
    ($($field:ident: $type:ty, $scope:ident, $name:literal = $default:expr, $min:literal..=$max:literal, $help:literal;)*) => {
        /// A value of every parameter.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Params {
            $(#[doc = $help] pub $field: $type,)*
        }

        /// Every parameter, in the order in which `--print-config` lists them.
        pub static PARAMS: &[Param] = &[$(Param {
            name: $name,
            help: $help,
            kind: <$type as ParamValue>::KIND,
            scope: ParamScope::$scope,
            min: $min,
            max: $max,
            get: |params| params.$field.number(),
            set: |params, value| params.$field = ParamValue::from_number(value),
        }),*];

        impl Default for Params {
            fn default() -> Params {
                Params { $($field: $default),* }
            }
        }
    };
}

params! {
    rave_equivalence: f64, PlayoutSearch, "RaveEquivalence" = 3000.0, 0.0..=1e9, "Search by playouts: RAVE equivalence: visits at which a move's own value weighs as much as its RAVE value; 0 turns RAVE off.";
    uct_exploration: f64, PlayoutSearch, "UctExploration" = 0.0, 0.0..=10.0, "Search by playouts: UCT exploration constant: weight of the bonus for rarely visited moves, at nodes without a policy.";
    expand_after: u32, PlayoutSearch, "ExpandAfter" = 2, 1.0..=1e6, "Search by playouts: visits of a leaf beyond which it is expanded.";
    prior_weight: f64, PlayoutSearch, "PriorWeight" = 20.0, 0.0..=500.0, "Search by playouts: virtual playouts per unit of prior weight.";
    pass_prior: f64, PlayoutSearch, "PassPrior" = 0.1, 0.0..=1.0, "Search by playouts: prior value of a pass.";
    score_weight: f64, PlayoutSearch, "ScoreWeight" = 0.02, 0.0..=0.5, "Search by playouts: share of the score in a playout's result; the rest is win or loss.";
    resign_below: f64, Player, "ResignBelow" = 0.08, 0.0..=0.5, "Win probability below which a move counts towards resigning.";
    resign_consec_turns: u32, Player, "ResignConsecTurns" = 3, 1.0..=1000.0, "Consecutive own moves below ResignBelow before the engine resigns.";
    handicap_points: f64, Player, "HandicapPoints" = 7.0, 0.0..=30.0, "Search by playouts: virtual komi: points per handicap stone added for White at the start of a game.";
    handicap_moves: f64, Player, "HandicapMoves" = 0.4, 0.0..=10.0, "Search by playouts: moves per board point over which the virtual komi falls to 0.";
    playout_capture: f64, PlayoutSearch, "PlayoutCapture" = StepProbabilities::DEFAULT.capture, 0.0..=1.0, "Playout: probability of looking for captures of the last move's ren, and of rens beside the player's own move before it.";
    playout_capture_caught: f64, PlayoutSearch, "PlayoutCaptureCaught" = StepProbabilities::DEFAULT.capture_caught, 0.0..=1.0, "Playout: probability that these captures include stones that could not escape.";
    playout_escape: f64, PlayoutSearch, "PlayoutEscape" = StepProbabilities::DEFAULT.escape, 0.0..=1.0, "Playout: probability of saving a ren put in atari by the last move.";
    playout_two_liberties: f64, PlayoutSearch, "PlayoutTwoLiberties" = StepProbabilities::DEFAULT.two_liberties, 0.0..=1.0, "Playout: probability of attacking or defending rens with two liberties beside the last move.";
    playout_nakade: f64, PlayoutSearch, "PlayoutNakade" = StepProbabilities::DEFAULT.nakade, 0.0..=1.0, "Playout: probability of playing the vital point of an eye space beside the last move (nakade).";
    playout_pattern: f64, PlayoutSearch, "PlayoutPattern" = StepProbabilities::DEFAULT.pattern, 0.0..=1.0, "Playout: probability of playing a 3x3 pattern beside the last move.";
    playout_pattern_before: f64, PlayoutSearch, "PlayoutPatternBefore" = StepProbabilities::DEFAULT.pattern_before, 0.0..=1.0, "Playout: probability of otherwise playing a 3x3 pattern beside the player's own previous move.";
    net_min_visits: u32, PlayoutSearch, "NetMinVisits" = 8, 1.0..=1e6, "Search by playouts: visits of a node before the net evaluates it.";
    cpuct: f64, PlayoutSearch, "Cpuct" = 1.0, 0.0..=10.0, "Search by playouts: PUCT exploration constant (Cpuct): weight of the policy's bonus at evaluated nodes.";
    net_rave: f64, PlayoutSearch, "NetRave" = 300.0, 0.0..=1e9, "Search by playouts: RAVE equivalence at evaluated nodes; 0 turns RAVE off there.";
    fpu_reduction: f64, PlayoutSearch, "FpuReduction" = 0.1, -1.0..=1.0, "Search by playouts: FPU reduction: an unvisited move at an evaluated node is valued this much below the node.";
    net_value_weight: f64, PlayoutSearch, "NetValueWeight" = 0.2, 0.0..=1.0, "Search by playouts: weight of the net's value in playout results while the outcome is uncertain; it falls to 0 as the outcome becomes certain.";
    prior_atari: f64, PlayoutSearch, "PriorAtari" = 1.5, 0.0..=100.0, "Search by playouts: prior weight of captures and escapes, in units of PriorWeight.";
    prior_ladder: f64, PlayoutSearch, "PriorLadder" = 1.0, 0.0..=100.0, "Search by playouts: prior weight of an atari that captures in a ladder, in units of PriorWeight.";
    prior_self_atari: f64, PlayoutSearch, "PriorSelfAtari" = 1.0, 0.0..=100.0, "Search by playouts: prior weight against bad self-atari, in units of PriorWeight.";
    prior_pattern: f64, PlayoutSearch, "PriorPattern" = 1.0, 0.0..=100.0, "Search by playouts: prior weight of 3x3 patterns beside the last two moves, in units of PriorWeight; a quarter of it elsewhere.";
    prior_distance: f64, PlayoutSearch, "PriorDistance" = 0.5, 0.0..=100.0, "Search by playouts: prior weight at distance 1 from the last move, in units of PriorWeight; divided by the distance, up to 4.";
    prior_edge: f64, PlayoutSearch, "PriorEdge" = 0.75, 0.0..=100.0, "Search by playouts: prior weight for or against the lines near the edge where no stone is near, in units of PriorWeight.";
    cpuct_exploration: f64, NetSearch, "CpuctExploration" = 1.0, 0.0..=10.0, "Search by net: PUCT exploration constant for few visits.";
    cpuct_exploration_log: f64, NetSearch, "CpuctExplorationLog" = 0.45, 0.0..=10.0, "Search by net: growth of the exploration constant per factor e of visits, beyond CpuctExplorationBase.";
    cpuct_exploration_base: f64, NetSearch, "CpuctExplorationBase" = 500.0, 10.0..=1e5, "Search by net: visits from which the exploration constant grows.";
    cpuct_utility_stdev_prior: f64, NetSearch, "CpuctUtilityStdevPrior" = 0.4, 1e-8..=10.0, "Search by net: standard deviation of the utility at which exploration is neither raised nor lowered.";
    cpuct_utility_stdev_prior_weight: f64, NetSearch, "CpuctUtilityStdevPriorWeight" = 2.0, 0.0..=100.0, "Search by net: weight of CpuctUtilityStdevPrior, in visits.";
    cpuct_utility_stdev_scale: f64, NetSearch, "CpuctUtilityStdevScale" = 0.85, 0.0..=1.0, "Search by net: strength with which the standard deviation of the utility scales exploration.";
    fpu_reduction_max: f64, NetSearch, "FpuReductionMax" = 0.2, 0.0..=2.0, "Search by net: FPU reduction: an unvisited move has the node's utility minus this times the square root of the policy sum of the visited moves.";
    root_fpu_reduction_max: f64, NetSearch, "RootFpuReductionMax" = 0.1, 0.0..=2.0, "Search by net: FpuReductionMax at the root.";
    fpu_parent_weight_pow: f64, NetSearch, "FpuParentWeightByVisitedPolicyPow" = 2.0, 0.0..=5.0, "Search by net: exponent p: for unvisited moves, the node's utility is its mean with weight (policy sum of the visited moves)^p, and its own evaluation with the rest.";
    win_loss_utility_factor: f64, NetSearch, "WinLossUtilityFactor" = 1.0, 0.0..=1.0, "Search by net: weight of winning in the utility.";
    static_score_utility_factor: f64, NetSearch, "StaticScoreUtilityFactor" = 0.1, 0.0..=1.0, "Search by net: weight of the static score term in the utility: the score relative to 0.";
    dynamic_score_utility_factor: f64, NetSearch, "DynamicScoreUtilityFactor" = 0.3, 0.0..=1.0, "Search by net: weight of the dynamic score term in the utility: the score relative to a centre near the root's expected score.";
    dynamic_score_center_zero_weight: f64, NetSearch, "DynamicScoreCenterZeroWeight" = 0.2, 0.0..=1.0, "Search by net: share by which the centre of the dynamic score term moves from the root's expected score towards 0.";
    dynamic_score_center_scale: f64, NetSearch, "DynamicScoreCenterScale" = 0.75, 0.2..=5.0, "Search by net: scale of the dynamic score term, in units of the square root of the board's area.";
    value_weight_exponent: f64, NetSearch, "ValueWeightExponent" = 0.25, 0.0..=1.0, "Search by net: exponent that lowers the weight of moves with improbable utility in a node's mean.";
    noise_prune_utility_scale: f64, NetSearch, "NoisePruneUtilityScale" = 0.15, 0.001..=10.0, "Search by net: utility by which a move is worse than the others when its excess visits lose 63% of their weight.";
    subtree_value_bias_factor: f64, NetSearch, "SubtreeValueBiasFactor" = 0.45, 0.0..=1.0, "Search by net: share of the mean error of similar moves by which an evaluation is corrected.";
    subtree_value_bias_weight_exponent: f64, NetSearch, "SubtreeValueBiasWeightExponent" = 0.85, 0.0..=1.0, "Search by net: exponent of a node's weight in the mean error of similar moves.";
    uncertainty_coeff: f64, NetSearch, "UncertaintyCoeff" = 0.25, 0.0001..=1.0, "Search by net: c in the weight of an evaluation, c / (error + c / UncertaintyMaxWeight) with the error of the utility that the net predicts, for nets that do so.";
    uncertainty_max_weight: f64, NetSearch, "UncertaintyMaxWeight" = 8.0, 1.0..=100.0, "Search by net: the greatest weight of an evaluation.";
    lcb_stdevs: f64, NetSearch, "LcbStdevs" = 5.0, 1.0..=12.0, "Search by net: standard errors between a move's mean and its lower confidence bound (LCB).";
    lcb_min_visit_prop: f64, NetSearch, "MinVisitPropForLcb" = 0.15, 0.0..=1.0, "Search by net: share of the best move's weight from which on a move can be chosen by its lower confidence bound.";
    root_policy_temperature: f64, NetSearch, "RootPolicyTemperature" = 1.0, 0.01..=100.0, "Search by net: temperature of the policy at the root; above 1 it is flatter.";
    wide_root_noise: f64, NetSearch, "WideRootNoise" = 0.0, 0.0..=5.0, "Search by net: noise that widens the exploration of the root's moves in a search for a move.";
    analysis_wide_root_noise: f64, Player, "AnalysisWideRootNoise" = 0.0, 0.0..=5.0, "Search by net: WideRootNoise in an analysis by GTP and in a report; queries of KataGo's analysis protocol have their own, 0.04.";
    playout_doubling_advantage: f64, NetSearch, "PlayoutDoublingAdvantage" = 0.0, -3.0..=3.0, "Search by a net of KataGo: advantage that the net assumes for the player: at x, the player has 2^x times the opponent's playouts; for handicap games.";
    root_num_symmetries: u32, NetSearch, "RootNumSymmetriesToSample" = 1, 1.0..=8.0, "Search by net: symmetries in which the root is evaluated.";
    root_symmetry_pruning: bool, NetSearch, "RootSymmetryPruning" = true, 0.0..=1.0, "Search by net: whether the root searches only one of each set of symmetric moves; else it searches all.";
    native_net_search: bool, Player, "NativeNetSearch" = true, 0.0..=1.0, "Whether a native net (one in the format of this project) with a score head searches by net; else it gives policy and values of nodes in the search by playouts.";
    root_ending_bonus_points: f64, NetSearch, "RootEndingBonusPoints" = 0.5, -1.0..=1.0, "Search by net: points by which root moves into settled areas are valued lower.";
}

/// The most points of a board on which the tree sees the end of most games: 5x5.
const SMALL_AREA: usize = 25;

/// The least UCT exploration constant on such boards, near the √2 for which P. Auer and others ("Finite-time analysis
/// of the multiarmed bandit problem", 2002) bound the regret.
const SMALL_BOARD_EXPLORATION: f64 = 1.0;

/// Whether a search with this net is a search by net, and not a search by playouts: with a net of KataGo, and with a
/// native net that has a score head if the parameters ask for it.
pub(crate) fn is_search_by_net(net: &Net, params: &Params, coordinate: Coordinate) -> bool {
    net.katago().is_some() || (params.native_net_search && net.has_score(coordinate))
}

/// Whether a board is so small that the tree sees the end of most games.
pub(crate) fn is_small_board(coordinate: Coordinate) -> bool {
    coordinate.board_area() <= SMALL_AREA
}

impl Params {
    /// The parameters for a board. On a small one ([`is_small_board`]) plain UCT reads most games to their end. RAVE, and a
    /// net that learned on larger boards, prefer moves that are wrong there: RAVE is turned off here, and the searcher
    /// leaves the net out.
    pub(super) fn for_board(&self, coordinate: Coordinate) -> Params {
        let uct_exploration = self.uct_exploration.max(SMALL_BOARD_EXPLORATION);
        match is_small_board(coordinate) {
            true => Params { rave_equivalence: 0.0, uct_exploration, ..*self },
            false => *self,
        }
    }

    /// The parameters of an analysis, whose search by net has a noise at the root of its own.
    pub(crate) fn for_analysis(&self) -> Params {
        Params { wide_root_noise: self.analysis_wide_root_noise, ..*self }
    }

    /// The parameters that the values of a tree of playouts depend on; all others have their defaults.
    pub(super) fn of_playout_tree(&self) -> Params {
        self.for_scope(ParamScope::PlayoutSearch)
    }

    /// The parameters that the values of a graph of a search by net depend on; all others have their defaults. The noise at
    /// the root decides which moves are visited, and no value.
    pub(super) fn of_net_graph(&self) -> Params {
        Params { wide_root_noise: Params::default().wide_root_noise, ..self.for_scope(ParamScope::NetSearch) }
    }

    /// The parameters of one scope; all others have their defaults.
    fn for_scope(&self, scope: ParamScope) -> Params {
        let mut params = Params::default();
        for param in PARAMS.iter().filter(|param| param.scope == scope) {
            (param.set)(&mut params, (param.get)(self));
        }
        params
    }

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

/// Reason for not setting a parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamError {
    /// No parameter has this name.
    Unknown,
    /// The value is out of bounds, no number, or not whole where a whole number is expected.
    Range {
        /// Minimum, inclusive.
        min: f64,
        /// Maximum, inclusive.
        max: f64,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown => f.write_str("unknown parameter"),
            ParamError::Range { min, max } => write!(f, "expected {min} to {max}"),
        }
    }
}

impl std::error::Error for ParamError {}

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
        let fits_kind = param.kind == ParamKind::Number || value.fract() == 0.0;
        if !fits_kind || !(param.min..=param.max).contains(&value) {
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
            assert!(param.help.ends_with('.'), "{}", param.name);
            let mut params = default;
            for value in [param.min, param.max, (param.get)(&default)] {
                params.set(param.name, value).unwrap();
                assert_eq!((param.get)(&params), value, "{}", param.name);
            }
            assert_eq!(params, default);
        }
    }

    /// The help of a parameter that has no effect in one of the searches begins with the name of the other.
    #[test]
    fn help_names_the_search() {
        let common = ["ResignBelow", "ResignConsecTurns", "NativeNetSearch"];
        let searches = ["Search by playouts: ", "Search by net: ", "Search by a net of KataGo: "];
        for Param { name, help, .. } in PARAMS {
            let is_named = searches.iter().any(|search| help.starts_with(search)) || help.starts_with("Playout: ");
            assert!(is_named != common.contains(name), "{name}: {help}");
        }
    }

    #[test]
    fn a_tree_depends_on_the_parameters_that_its_search_reads() {
        let default = Params::default();
        for Param { name, help, min, max, get, set, .. } in PARAMS {
            let mut params = default;
            set(&mut params, if get(&default) == *min { *max } else { *min });
            let (of_playouts, of_net) = (params.of_playout_tree() != default, params.of_net_graph() != default);
            let changes_no_value = matches!(
                *name,
                "ResignBelow"
                    | "ResignConsecTurns"
                    | "HandicapPoints"
                    | "HandicapMoves"
                    | "WideRootNoise"
                    | "AnalysisWideRootNoise"
                    | "NativeNetSearch"
            );
            let is_of_net = help.starts_with("Search by net: ") || help.starts_with("Search by a net of KataGo: ");
            assert_eq!(of_net, is_of_net && !changes_no_value, "{name}");
            assert_eq!(of_playouts, !is_of_net && !changes_no_value, "{name}");
        }
    }

    #[test]
    fn refused_value_changes_nothing() {
        let mut params = Params::default();
        assert_eq!(params.set("Nonsense", 1.0), Err(ParamError::Unknown));
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(params.set("PlayoutCapture", value), Err(ParamError::Range { min: 0.0, max: 1.0 }));
        }
        for (name, value) in [("RootNumSymmetriesToSample", 2.7), ("ExpandAfter", 1.5), ("NativeNetSearch", 0.3)] {
            assert!(matches!(params.set(name, value), Err(ParamError::Range { .. })), "{name}");
        }
        assert_eq!(params, Params::default());
    }
}
