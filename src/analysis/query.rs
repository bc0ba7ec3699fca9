//! Parses a line of input into a query, or into an action that is done at once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::analysis::fields::{FieldMessage, Fields};
use crate::analysis::settings::{PV_LENGTHS, SettingError, Settings, affects_net_search_only};
use crate::kernel::{Color, Coordinate, GameRule, HandicapBonus, MAX_SIDE, MIN_SIDE, Move, Position, Scoring, Stone};
use crate::net::Net;
use crate::protocol::rule_names;
use crate::search::Restrictions;
use crate::search::params::is_search_by_net;
use crate::sgf::{self, GameRecord, ReplayError, Turn};

/// Valid priorities, as in KataGo.
const PRIORITIES: std::ops::RangeInclusive<i64> = -(1 << 62) + 1..=(1 << 62) - 1;

/// The greatest value of the field `maxVisits`. KataGo has the same; a search ends at 2³⁰ visits.
const MAX_VISITS_FIELD: i64 = 1 << 50;

/// The greatest komi in points, for either player.
const MAX_KOMI: f64 = 400.0;

/// The actions in place of a query, by the field `action`.
pub const ACTIONS: [&str; 5] = ["query_version", "query_models", "clear_cache", "terminate", "terminate_all"];

/// The fields of an action.
pub const ACTION_FIELDS: [&str; 4] = ["id", "action", "terminateId", "turnNumbers"];

/// The fields of a query.
pub const QUERY_FIELDS: [&str; 28] = [
    "id",
    "moves",
    "initialStones",
    "initialPlayer",
    "rules",
    "komi",
    "whiteHandicapBonus",
    "boardXSize",
    "boardYSize",
    "analyzeTurns",
    "maxVisits",
    "analysisPVLen",
    "rootPolicyTemperature",
    "rootFpuReductionMax",
    "includeOwnership",
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includePolicy",
    "includePVVisits",
    "includeNoResultValue",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "reportDuringSearchEvery",
    "firstReportDuringSearchAfter",
    "priority",
    "priorities",
];

/// The text of a warning about something that only a search by net has.
const ONLY_NET_SEARCH: &str = "has no effect on a search by playouts, only on one by net";

/// Positions of a game to search.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) id: String,
    game: GameRecord,
    rule: GameRule,
    /// The positions, by the number of moves before them, each with its priority.
    pub(super) turns: Vec<(usize, i64)>,
    pub(super) settings: Settings,
    pub(super) restrictions: Restrictions,
    pub(super) included: ResponseParts,
    /// The delay of the first intermediate response and the interval of the others.
    pub(super) progress: Option<(Duration, Duration)>,
    /// Bytes of the line that asked for it.
    pub(super) size: usize,
}

/// The optional parts of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ResponseParts {
    /// The ownership of the position.
    pub(super) ownership: bool,
    /// Its standard deviation.
    pub(super) ownership_stdev: bool,
    /// The ownership after each move.
    pub(super) moves_ownership: bool,
    /// Its standard deviation.
    pub(super) moves_ownership_stdev: bool,
    pub(super) policy: bool,
    pub(super) variation_visits: bool,
    /// The probability of a game without result.
    pub(super) no_result: bool,
    /// The maximum length of a variation after its first move.
    pub(super) pv_length: usize,
}

impl ResponseParts {
    /// Whether any owners of points are included.
    pub(super) fn any_ownership(&self) -> bool {
        self.ownership || self.ownership_stdev || self.moves_ownership || self.moves_ownership_stdev
    }
}

/// The action that a line asks for; without a field `action`, a search.
#[derive(Debug)]
pub(super) enum QueryAction {
    /// Positions to search, and warnings about the query.
    Search(Box<Query>, Vec<FieldMessage>),
    /// The version of the program.
    Version,
    /// The nets.
    Models,
    /// Clear the cache.
    ClearCache,
    /// Stop searches.
    Terminate(JobFilter),
}

/// Selects searches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct JobFilter {
    /// Only searches of queries with this id.
    pub(super) id: Option<String>,
    /// Only searches of these positions. A set: thousands of searches may be compared with thousands of numbers.
    pub(super) turns: Option<BTreeSet<i64>>,
}

impl JobFilter {
    /// Whether the search of a query's position is selected.
    pub(super) fn includes(&self, id: &str, turn: usize) -> bool {
        self.id.as_ref().is_none_or(|named| named == id)
            && self.turns.as_ref().is_none_or(|turns| i64::try_from(turn).is_ok_and(|turn| turns.contains(&turn)))
    }
}

/// The defaults with which a query is read.
#[derive(Clone, Copy)]
pub(super) struct Defaults<'a> {
    pub(super) settings: Settings,
    pub(super) net: Option<&'a Net>,
}

/// Parses a line of `size` bytes with this id.
pub(super) fn read(
    id: &str,
    object: &Map<String, Value>,
    size: usize,
    defaults: Defaults<'_>,
) -> Result<QueryAction, FieldMessage> {
    let fields = Fields::new(object);
    let terminate = |id: Option<&str>| {
        let turns = fields.integers("turnNumbers")?.map(BTreeSet::from_iter);
        Ok(QueryAction::Terminate(JobFilter { id: id.map(str::to_owned), turns }))
    };
    match fields.text("action")? {
        None => {
            let mut warnings = unused(object);
            let query = Query { size, ..Query::read(id, fields, defaults, &mut warnings)? };
            Ok(QueryAction::Search(Box::new(query), warnings))
        }
        Some("query_version") => Ok(QueryAction::Version),
        Some("query_models") => Ok(QueryAction::Models),
        Some("clear_cache") => Ok(QueryAction::ClearCache),
        Some("terminate") => {
            let id = fields.text("terminateId")?;
            terminate(Some(id.ok_or_else(|| fields.missing("terminateId", "the id of a query"))?))
        }
        Some("terminate_all") => terminate(None),
        Some(other) => {
            let expected = ACTIONS.join(" ");
            Err(FieldMessage::unexpected("action", &Value::from(other), &format!("one of {expected}")))
        }
    }
}

/// Warnings about unknown fields.
fn unused(object: &Map<String, Value>) -> Vec<FieldMessage> {
    let unknown = object.keys().filter(|key| !QUERY_FIELDS.contains(&key.as_str()));
    unknown.map(|key| FieldMessage::new(key, "unknown field")).collect()
}

impl Query {
    fn read(
        id: &str,
        fields: Fields<'_>,
        defaults: Defaults<'_>,
        warnings: &mut Vec<FieldMessage>,
    ) -> Result<Query, FieldMessage> {
        let game = game(fields)?;
        let coordinate = game.coordinate;
        let rule = rule(fields)?;
        let name = fields.text("rules").ok().flatten();
        warnings.extend(name.and_then(GameRule::approximation).map(|note| FieldMessage::new("rules", note.to_owned())));
        let turns = turns(fields, game.turns.len())?;
        let settings = settings_of(fields, defaults.settings, warnings)?;
        let included = included(fields, settings)?;
        without_effect(fields, (coordinate, &settings, defaults.net), included, warnings);
        let query = Query {
            id: id.to_owned(),
            rule,
            turns,
            settings,
            restrictions: restrictions(fields, coordinate)?,
            included,
            progress: progress(fields)?,
            size: 0,
            game,
        };
        // illegal moves are reported before anything is searched
        query.position(query.game.turns.len())?;
        Ok(query)
    }

    /// The position after `turn` moves.
    pub(super) fn position(&self, turn: usize) -> Result<Position, FieldMessage> {
        let like = Position::new(self.game.coordinate, self.rule, 0, Color::Black);
        // without later moves, the player to move is the opponent of the last one
        let mut game = self.game.clone();
        game.turns.truncate(turn);
        sgf::position_without_ko_rule(&game, &like).map_err(|error| match error {
            ReplayError::Setup(_) => FieldMessage::new("initialStones", error.to_string()),
            ReplayError::TooLong => FieldMessage::new("moves", error.to_string()),
            ReplayError::Illegal { number, color, vertex, reason } => {
                let reason = reason.explanation();
                FieldMessage::new("moves", format!("Illegal move {}: {color} {vertex}: {reason}", number - 1))
            }
        })
    }
}

/// The stones and moves of a query.
fn game(fields: Fields<'_>) -> Result<GameRecord, FieldMessage> {
    let side = |name| {
        let range = i64::from(MIN_SIDE)..=i64::from(MAX_SIDE);
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        fields.integer(name, range)?.ok_or_else(|| fields.missing(name, &expected))
    };
    let (width, height) = (side("boardXSize")?, side("boardYSize")?);
    let coordinate = Coordinate::new(width as u8, height as u8);
    let coordinate = coordinate
        .ok_or_else(|| FieldMessage::new("boardXSize", format!("unsupported board size {width}x{height}")))?;
    let moves = fields.moves("moves", coordinate)?;
    let moves = moves.ok_or_else(|| fields.missing("moves", "a list of pairs of a player and a vertex"))?;
    let mut game = GameRecord::new(coordinate);
    for (color, play) in fields.moves("initialStones", coordinate)?.unwrap_or_default() {
        let Move::Play(point) = play else {
            return Err(FieldMessage::unexpected("initialStones", &Value::from("pass"), "a vertex of the board"));
        };
        if game.setup.iter().any(|&(other, _)| other == point) {
            let vertex = Value::from(coordinate.vertex(point));
            return Err(FieldMessage::unexpected("initialStones", &vertex, "each vertex once"));
        }
        game.setup.push((point, color.stone()));
    }
    // White begins after handicap stones; their number is left to the position, which counts Black's first moves with them
    let is_handicap = game.setup.len() > 1 && game.setup.iter().all(|(_, stone)| *stone == Stone::Black);
    let usual = moves.first().map(|(color, _)| *color).or(is_handicap.then_some(Color::White));
    game.to_play = fields.player("initialPlayer")?.or(usual);
    game.turns = moves.into_iter().map(|(color, play)| Turn::Move(color, play)).collect();
    Ok(game)
}

/// The optional parts of the responses.
fn included(fields: Fields<'_>, settings: Settings) -> Result<ResponseParts, FieldMessage> {
    Ok(ResponseParts {
        ownership: fields.flag("includeOwnership")?,
        ownership_stdev: fields.flag("includeOwnershipStdev")?,
        moves_ownership: fields.flag("includeMovesOwnership")?,
        moves_ownership_stdev: fields.flag("includeMovesOwnershipStdev")?,
        policy: fields.flag("includePolicy")?,
        variation_visits: fields.flag("includePVVisits")?,
        no_result: fields.flag("includeNoResultValue")?,
        // the field overrides the setting
        pv_length: fields.integer("analysisPVLen", PV_LENGTHS)?.map_or(settings.pv_length, |n| n as usize),
    })
}

/// Warns of fields and settings without effect on the search of this query.
fn without_effect(
    fields: Fields<'_>,
    (coordinate, settings, net): (Coordinate, &Settings, Option<&Net>),
    included: ResponseParts,
    warnings: &mut Vec<FieldMessage>,
) {
    if included.policy && net.is_none() {
        warnings.push(FieldMessage::new("includePolicy", "has no effect without a net"));
    }
    if net.is_some_and(|net| is_search_by_net(net, &settings.options.params, coordinate)) {
        return;
    }
    let named = ["rootPolicyTemperature", "rootFpuReductionMax"].into_iter().filter(|name| fields.raw(name).is_some());
    warnings.extend(named.map(|name| FieldMessage::new(name, ONLY_NET_SEARCH)));
    let settings = fields.raw("overrideSettings").and_then(Value::as_object);
    let names = settings.into_iter().flat_map(Map::keys).filter(|name| affects_net_search_only(name));
    let names: Vec<&str> = names.map(String::as_str).collect();
    if !names.is_empty() {
        warnings.push(FieldMessage::new("overrideSettings", format!("{}: {ONLY_NET_SEARCH}", names.join(" "))));
    }
}

/// The rules of a query, with the komi that they name, or else KataGo's default for them.
///
/// An object may have the key `komi`. The default is 6.5 points under territory scoring, 7 with a button and for the name
/// of New Zealand's rules, and else 7.5. Source: KataGo's `game/rules.cpp`.
fn rule_and_komi(text: &str) -> Result<GameRule, FieldMessage> {
    let mut komi = None;
    let mut text = std::borrow::Cow::from(text);
    if let Ok(mut object) = serde_json::from_str::<Map<String, Value>>(&text) {
        if let Some(value) = object.remove("komi") {
            let number = value.as_f64().filter(|komi| (-MAX_KOMI..=MAX_KOMI).contains(komi));
            let expected = || format!("komi to be a number from -{MAX_KOMI} to {MAX_KOMI}");
            komi = Some(number.ok_or_else(|| FieldMessage::unexpected("rules", &value, &expected()))?);
        }
        text = Value::Object(object).to_string().into();
    }
    let rule = rule_names::parse(GameRule::with_komi(0.0), &text)
        .map_err(|error| FieldMessage::new("rules", error.to_string()))?;
    let is_new_zealand = GameRule::with_komi(0.0).with_rule_set("new-zealand").is_some_and(|named| named == rule);
    let usual = match rule.scoring {
        Scoring::Territory => 6.5,
        Scoring::Area if rule.has_button || (is_new_zealand && !text.starts_with('{')) => 7.0,
        Scoring::Area => 7.5,
    };
    Ok(GameRule { komi: komi.unwrap_or(usual), ..rule })
}

/// The rules of a query, with komi.
fn rule(fields: Fields<'_>) -> Result<GameRule, FieldMessage> {
    let expected = "the name of rules, such as \"chinese\", or an object";
    let Some(value) = fields.raw("rules") else { return Err(fields.missing("rules", expected)) };
    let text = match value {
        Value::String(name) => name.clone(),
        Value::Object(_) => value.to_string(),
        value => return Err(FieldMessage::unexpected("rules", value, expected)),
    };
    let mut rule = rule_and_komi(&text)?;
    rule.komi = fields.number("komi", -MAX_KOMI..=MAX_KOMI)?.unwrap_or(rule.komi);
    if let Some(word) = fields.text("whiteHandicapBonus")? {
        let unexpected =
            || FieldMessage::unexpected("whiteHandicapBonus", &Value::from(word), "\"0\", \"N-1\" or \"N\"");
        rule.handicap_bonus = HandicapBonus::parse(word).ok_or_else(unexpected)?;
    }
    Ok(rule)
}

/// The positions to search in a game of `moves` moves, each with its priority: in game order, without repetitions.
fn turns(fields: Fields<'_>, moves: usize) -> Result<Vec<(usize, i64)>, FieldMessage> {
    let priority = fields.integer("priority", PRIORITIES)?;
    let priorities = fields.integers("priorities")?;
    if priority.is_some() && priorities.is_some() {
        return Err(FieldMessage::new("priority", "expected priority or priorities, found both"));
    }
    let Some(named) = fields.integers("analyzeTurns")? else {
        return match priorities {
            Some(_) => Err(FieldMessage::new("priorities", "expected analyzeTurns beside priorities")),
            None => Ok(vec![(moves, priority.unwrap_or_default())]),
        };
    };
    if named.is_empty() {
        return Err(FieldMessage::unexpected("analyzeTurns", &Value::Array(Vec::new()), "at least one number"));
    }
    let priorities = priorities.unwrap_or_else(|| vec![priority.unwrap_or_default(); named.len()]);
    if priorities.len() != named.len() {
        let (found, expected) = (priorities.len(), named.len());
        let text = format!("expected one number for each of analyzeTurns ({expected}), found {found}");
        return Err(FieldMessage::new("priorities", text));
    }
    if let Some(priority) = priorities.iter().find(|priority| !PRIORITIES.contains(priority)) {
        return Err(FieldMessage::unexpected("priorities", &Value::from(*priority), "numbers between -2^62 and 2^62"));
    }
    let mut turns = Vec::with_capacity(named.len());
    for (turn, priority) in named.into_iter().zip(priorities) {
        let unexpected = || FieldMessage::unexpected("analyzeTurns", &Value::from(turn), &format!("0 to {moves}"));
        turns.push((usize::try_from(turn).ok().filter(|&turn| turn <= moves).ok_or_else(unexpected)?, priority));
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.dedup_by_key(|(turn, _)| *turn);
    Ok(turns)
}

/// The settings of a query.
fn settings_of(
    fields: Fields<'_>,
    mut settings: Settings,
    warnings: &mut Vec<FieldMessage>,
) -> Result<Settings, FieldMessage> {
    const FIELD: &str = "overrideSettings";
    let visits = fields.integer("maxVisits", 1..=MAX_VISITS_FIELD)?.map(i64::unsigned_abs);
    if let Some(visits) = visits {
        settings.limit_visits(visits);
    }
    let object = match fields.raw(FIELD) {
        Some(value) => value.as_object().ok_or_else(|| FieldMessage::unexpected(FIELD, value, "an object"))?,
        None => &Map::new(),
    };
    let (mut unknown, mut unsupported) = (Vec::new(), Vec::new());
    for (name, value) in object {
        match settings.set(name, value) {
            Ok(()) => {}
            Err(SettingError::Unknown) => unknown.push(name.as_str()),
            Err(SettingError::Unsupported(only)) => unsupported.push(format!("{name}: only {only} is supported")),
            Err(SettingError::Expected(expected)) => {
                return Err(FieldMessage::unexpected(FIELD, value, &format!("{name} to be {expected}")));
            }
        }
    }
    if !unknown.is_empty() {
        warnings.push(FieldMessage::new(FIELD, format!("unknown settings, not used: {}", unknown.join(" "))));
    }
    if !unsupported.is_empty() {
        warnings.push(FieldMessage::new(FIELD, format!("not supported, not used: {}", unsupported.join(", "))));
    }
    // fields override settings
    let params = &mut settings.options.params;
    let fpu = fields.number("rootFpuReductionMax", 0.0..=2.0)?;
    params.root_fpu_reduction_max = fpu.unwrap_or(params.root_fpu_reduction_max);
    let temperature = fields.number("rootPolicyTemperature", 0.01..=100.0)?;
    params.root_policy_temperature = temperature.unwrap_or(params.root_policy_temperature);
    settings.options.max_visits = visits.unwrap_or(settings.options.max_visits);
    Ok(settings)
}

/// The root restrictions of a query.
fn restrictions(fields: Fields<'_>, coordinate: Coordinate) -> Result<Restrictions, FieldMessage> {
    let mut restrictions = Restrictions::default();
    let (avoided, allowed) = (fields.objects("avoidMoves")?, fields.objects("allowMoves")?);
    if fields.raw("avoidMoves").is_some() && fields.raw("allowMoves").is_some() {
        return Err(FieldMessage::new("allowMoves", "expected avoidMoves or allowMoves, found both"));
    }
    let read = |element: Fields<'_>| {
        let player = element.player("player")?.ok_or_else(|| element.missing("player", "\"B\" or \"W\""))?;
        let moves = element.vertices("moves", coordinate)?;
        let moves = moves.ok_or_else(|| element.missing("moves", "a list of vertices"))?;
        let depth = element.integer("untilDepth", 1..=1_000_000_000)?;
        let depth = depth.ok_or_else(|| element.missing("untilDepth", "a whole number, 1 or more"))?;
        Ok((player, moves, u16::try_from(depth).unwrap_or(u16::MAX)))
    };
    for element in avoided {
        let (player, moves, until) = read(element)?;
        restrictions.avoid(player, moves, until);
    }
    let mut allowed_players = Vec::new();
    for element in allowed {
        let (player, moves, until) = read(element)?;
        if allowed_players.contains(&player) {
            return Err(FieldMessage::new(
                "allowMoves",
                format!("expected one object for each player, found two for {player}"),
            ));
        }
        allowed_players.push(player);
        restrictions.allow(coordinate, player, &moves, until);
    }
    Ok(restrictions)
}

/// The times of intermediate responses.
fn progress(fields: Fields<'_>) -> Result<Option<(Duration, Duration)>, FieldMessage> {
    let every = fields.seconds("reportDuringSearchEvery")?;
    let first = fields.seconds("firstReportDuringSearchAfter")?;
    Ok(first.or(every).map(|first| (first, every.unwrap_or(Duration::MAX))))
}
