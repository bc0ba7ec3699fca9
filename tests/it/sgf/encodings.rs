//! The encoding of a record: by `CA`, or by the bytes.

use super::check;

#[test]
fn encodings_are_detected() {
    check("(;PB[本因坊])", "19 pb 本因坊");
    check(b"(;PB[M\xfcller]PW[\xe9])", "19 pb Müller pw é"); // no charset: Latin-1
    check(b"(;CA[ISO-8859-1]PB[M\xfcller])", "19 pb Müller");
    check("(;CA[ISO-8859-1]PB[Müller])", "19 pb Müller"); // UTF-8 with another charset declared
    check(b"(;CA[foo]PB[M\xfcller])", "19 pb Müller");
    // a false UTF-8 is not taken, a damaged one is
    check(b"(;CA[UTF-8]PB[M\xfcller])", "19 pb Müller");
    check(b"(;CA[UTF-8]PB[\xc4\xf4\xce\xc0\xc6\xbd]PW[\xbf\xc2\xbd\xe0])", "19 pb 聂卫平 pw 柯洁");
    check(b"(;CA[UTF-8]PB[\xe9\xbb\x92\xff])", "19 pb 黒\u{fffd}");
    // only the value of CA is a charset, and only in the first node
    check(b"(;PB[sjis]PW[\xb1];B[aa])", "19 pb sjis pw ± | B A19");
    check(b"(;PB[\xb1];CA[sjis]B[aa])", "19 pb ± | B A19");
    // the second byte of a character is `\` or `]`
    check(b"(;CA[Shift_JIS]PB[\x83\x5c]PW[\x83\x5d];B[aa])", "19 pb ソ pw ゾ | B A19");
    check(b"(;PB[\x83\x5c]CA[sjis];B[aa])", "19 pb ソ | B A19");
    check(b"(;PB[\x83\x5c];B[aa])", "19 pb ソ | B A19"); // no charset, and only this one is possible
    check(b"(;CA[GBK]PB[\x81\x5d];B[aa])", "19 pb 乚 | B A19");
    // an explicit charset wins
    check(b"(;CA[latin1]PB[\xc4\xf4\xce\xc0\xc6\xbd];B[aa])", "19 pb ÄôÎÀÆ½ | B A19");
    // names that browsers do not know
    check(b"(;CA[cp932]PB[\xb1];B[aa])", "19 pb ｱ | B A19");
    check(b"(;CA[CP936]PB[\x81\x5d];B[aa])", "19 pb 乚 | B A19");
    check(b"(;CA[euc-cn]PB[\xce\xa7];B[aa])", "19 pb 围 | B A19");
    check(b"(;CA[cp949]PB[\xb9\xd9];B[aa])", "19 pb 바 | B A19");
    check(b"(;CA[ISO-2022-JP]PB[\x1b$B%=\x1b(B];B[aa])", "19 pb ソ | B A19");
    check(b"(;CA[HZ-GB-2312];B[aa])", "19 | B A19");
    let utf16: Vec<u8> = "\u{feff}(;PB[é];B[aa])".encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(utf16, "19 pb é | B A19");
}

/// UTF-16 without a byte-order mark, with and without a `CA`, which only the decoded text has.
#[test]
fn utf16_is_detected_without_a_byte_order_mark() {
    for text in [
        "(;CA[UTF-16]PB[é];B[aa])",
        "(;PB[é];B[aa])",
        "\r\n( ;PB[é];B[aa])",
        "棋譜 (;PB[é]\n;B[aa])",
        // characters with the byte of a parenthesis
        "刨 (;PB[é];B[aa])",
        "\u{2028}(;PB[é];B[aa])",
        "Ĩ\u{2800}⠨\n(;PB[é];B[aa])",
    ] {
        for of_unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(of_unit).collect();
            check(bytes, "19 pb é | B A19");
        }
    }
    // zero bytes before the game, and in a value, are no UTF-16
    check(b"\0(;PB[a];B[aa])", "19 pb a | B A19");
    check(b"\0\0(;PB[a];B[aa])", "19 pb a | B A19");
    for value in [&b"(\0a\0"[..], b"\0(\0a"] {
        for start in [&b"(;PB[a]C["[..], b" (;PB[a]C["] {
            check([start, value, b"];B[aa])"].concat(), "19 pb a | B A19");
        }
    }
    // parentheses in text of other encodings, at even and odd offsets
    for (encoding, name) in [(encoding_rs::GBK, "聂卫平(九段)"), (encoding_rs::SHIFT_JIS, "井山裕太(九段)")]
    {
        let (bytes, _, _) = encoding.encode(name);
        for blank in ["", " "] {
            let start = format!("{blank}(;CA[{}]PB[", encoding.name());
            check([start.as_bytes(), &bytes, b"];B[aa])"].concat(), &format!("19 pb {name} | B A19"));
        }
    }
}

/// Records without a charset: the bytes decide.
#[test]
fn encodings_of_names_are_detected_without_a_charset() {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};
    let names: [(&'static Encoding, &[&str]); 8] = [
        (
            GBK,
            &["聂卫平", "芈昱廷", "李世石", "黑中盘胜", "网友", "常昊 九段", "第20届中国围棋名人战决赛", "張栩 圍棋"],
        ),
        (BIG5, &["周俊勳", "王立誠", "林海峰"]),
        (EUC_KR, &["이세돌", "박정환", "최정"]),
        (SHIFT_JIS, &["井山裕太", "本因坊秀策", "ソ", "黒中押し勝ち"]),
        (EUC_JP, &["よしだ", "第60期 名人戦の"]),
        (WINDOWS_1250, &["Příliš žluťoučký"]),
        (WINDOWS_1251, &["Шикшин", "Динерштейн"]),
        (
            WINDOWS_1252,
            &["Müller", "José", "é", "±", "6½", "½", "naïve", "Håkan Åström", "Ünal Ö", "über größer", "“Gödel”"],
        ),
    ];
    for (encoding, names) in names {
        for name in names {
            let (bytes, _, _) = encoding.encode(name);
            for times in 1..4 {
                let text =
                    [&b"(;SZ[9]GN["[..], &vec![&bytes[..]; times].join(&b", "[..]), b"]PB[", &bytes, b"];B[aa])"]
                        .concat();
                check(text, &format!("9 pb {name} | B A9"));
            }
        }
    }
}
