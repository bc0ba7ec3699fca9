//! Records of any bytes and any length: linear time, one error, no panic.

use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::kernel::Coordinate;
use kifuwarabe_uec14::sgf::{self, GameRecord};

use super::counts;
use crate::support::empty_position;

/// Reads within a time that a slow machine and a debug build keep, but a reader of quadratic time would exceed.
#[track_caller]
fn in_time(name: &str, input: &[u8]) -> Result<GameRecord, sgf::SgfError> {
    let start = Instant::now();
    let answer = sgf::read(input);
    let time = start.elapsed();
    eprintln!("{name}: {} bytes in {time:?}: {:?}", input.len(), answer.as_ref().map(counts));
    assert!(time < Duration::from_secs(20), "{name}: {time:?}");
    answer
}

#[test]
fn large_and_deep_files_are_read_in_linear_time() {
    // in bytes; less for the unoptimised build
    const LENGTH: usize = if cfg!(debug_assertions) { 2_000_000 } else { 10_000_000 };
    let fill = |start: &str, piece: &str, end: &str| {
        format!("{start}{}{end}", piece.repeat(LENGTH / piece.len())).into_bytes()
    };
    assert!(in_time("parentheses", "(".repeat(1_000_000).as_bytes()).is_err());
    assert!(in_time("blank games", &fill("", "( ", "")).is_err());
    assert!(in_time("texts before", &fill("", "(A", "")).is_err());
    let nested = format!("{}{}", "(;B[aa]".repeat(1_000_000), ")".repeat(1_000_000));
    assert_eq!(in_time("nested games", nested.as_bytes()).unwrap().turns.len(), sgf::MAX_TURNS + 1);
    assert_eq!(in_time("moves", &fill("(", ";B[aa]", ")")).unwrap().turns.len(), sgf::MAX_TURNS + 1);
    assert_eq!(in_time("nodes", &fill("(", ";", ")")).unwrap().turns.len(), 0);
    assert_eq!(in_time("moves of one node", &fill("(;", "B[aa]", ")")).unwrap().turns.len(), sgf::MAX_TURNS + 1);
    assert!(in_time("cut moves", &fill("(", ";B[aa]", "")).is_err());
    assert!(in_time("one name", &fill("(;", "A", "")).is_err());
    assert_eq!(in_time("one text", &fill("(;PB[", "\\]", "])")).unwrap().black.unwrap().len(), LENGTH / 2);
    assert!(in_time("Shift_JIS", &fill("(;CA[Shift_JIS];PB[", "é", "])")).is_ok());
    let setups = [fill("(;SZ[25]", "AB[aa:yy]", ")"), fill("(;SZ[25]B[aa]", ";AB[aa:yy]", ")")];
    let points = |count| format!("(;SZ[25]AB{})", "[aa]".repeat(count)).into_bytes();
    assert!(in_time("points", &points(sgf::MAX_SETUP)).is_ok());
    for setup in setups.into_iter().chain([points(sgf::MAX_SETUP + 1)]) {
        assert_eq!(in_time("setup", &setup).unwrap_err().problem, sgf::SgfProblem::TooMuchSetup);
    }
}

#[test]
fn no_input_causes_a_panic() {
    let sample = "noise (;FF[4]CA[UTF-8]GM[1]SZ[9]KM[6,5]HA[2]PB[九\\]段]AB[aa:cc][dd]AW[ee]PL[W];W[tt](;B[ab]AE[aa]\
                  ;PL[B]C[\\\n])(;B[cd]))(;SZ[19])";
    let assert_no_panic = |bytes: &[u8]| {
        let answer = catch_unwind(|| sgf::read(bytes));
        let answer = answer.unwrap_or_else(|_| panic!("a panic at {}", String::from_utf8_lossy(bytes)));
        match answer {
            Ok(game) => assert_eq!(sgf::read(sgf::write(&game).as_bytes()), Ok(game)),
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    };
    for length in 0..=sample.len() {
        assert_no_panic(&sample.as_bytes()[..length]);
        let main_line_ends = sample.find("\\\n])").unwrap() + 4;
        assert_eq!(sgf::read(&sample.as_bytes()[..length]).is_ok(), length >= main_line_ends, "cut at {length}");
    }
    let mut rng = fastrand::Rng::with_seed(2024);
    const COMMON: &[u8] = b"(();[[]]\\::ABWEPLSZKMCAabtt19 \n\0\xff\x83\xef\xbb\xbf";
    for _ in 0..40_000 {
        let mut bytes = sample.as_bytes().to_vec();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..bytes.len());
            let byte = if rng.bool() { rng.u8(..) } else { COMMON[rng.usize(..COMMON.len())] };
            match rng.u8(..3) {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        assert_no_panic(&bytes);
        let noise: Vec<u8> = (0..rng.usize(..60)).map(|_| COMMON[rng.usize(..COMMON.len())]).collect();
        assert_no_panic(&noise);
        assert_no_panic(&[b"(;SZ[3]".as_slice(), &noise, b"])"].concat());
        let wild: Vec<u8> = (0..rng.usize(..200)).map(|_| rng.u8(..)).collect();
        assert_no_panic(&wild);
    }
}

#[test]
fn records_over_the_limit_of_turns_are_refused() {
    let like = empty_position(Coordinate::square(19).unwrap());
    let passes = |count: usize| sgf::read(format!("(;{})", ";B[];W[]".repeat(count / 2)).as_bytes()).unwrap();
    let longest = sgf::position_of(&passes(sgf::MAX_TURNS), &like, None).unwrap();
    assert_eq!(longest.record().len(), sgf::MAX_TURNS);
    let game = passes(sgf::MAX_TURNS + 2);
    let error = sgf::position_of(&game, &like, None).err().unwrap();
    assert_eq!(error.to_string(), "more than 20000 moves and set-ups");
    assert_eq!(sgf::position_of(&game, &like, Some(3)).unwrap().record().len(), 2);
}
