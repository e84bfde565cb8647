"""What each raw file in `json/` is: `y_` legal with this value, `n_` refused with this code, `i_` open in the RFC.

The values are Python's own literals, so that no parser is asked. A file without a line here fails, and a line without
a file.

Not here: how they are read (`test_json_files`).
"""

from __future__ import annotations

from typing import Any


def nested(levels: int, value: Any, key: str | None = None) -> Any:
    """Return a value inside that many arrays, or objects with one key."""
    for _ in range(levels):
        value = [value] if key is None else {key: value}
    return value


class Refused(str):
    """The code with which an open text is refused."""


VALUES: dict[str, Any] = {
    "literal_true": True,
    "literal_false": False,
    "literal_null": None,
    "number_zero": 0,
    "number_minus_zero": 0,
    "number_minus_zero_fraction": -0.0,
    "number_digits": 1234567890,
    "number_minus": -17,
    "number_fraction": 3.25,
    "number_fraction_zeros": 1.0,
    "number_fraction_long": 0.1,
    "number_exponent": 2000.0,
    "number_exponent_upper": 2000.0,
    "number_exponent_plus": 2000.0,
    "number_exponent_minus": 2.5,
    "number_exponent_zeros": 10000000.0,
    "number_exponent_zero": 7.0,
    "number_fraction_exponent": -0.0015,
    "number_zero_exponent": 0.0,
    "number_zero_exponent_minus": 0.0,
    "number_2_to_53_and_1": 9007199254740993,
    "number_2_to_63": 9223372036854775808,
    "number_2_to_64": 18446744073709551616,
    "number_minus_2_to_63": -9223372036854775809,
    "number_40_digits": int("1234567890" * 4),
    "number_308_nines": 10**308 - 1,
    "number_largest_double": 1.7976931348623157e+308,
    "number_smallest_double": 5e-324,
    "number_least_normal": 2.2250738585072014e-308,
    "number_just_below_least_normal": 2.225073858507201e-308,
    "number_halfway_rounds_to_even": 9007199254740992.0,
    "number_0_1": 0.1,
    "number_0_3_of_17_digits": 0.30000000000000004,
    "number_1e22": 1e+22,
    "number_1e23": 1e+23,
    "number_after_space": 4,
    "number_before_newline": 4,
    "string_empty": "",
    "string_space": " ",
    "string_ascii": "a b~",
    "string_del": "\x7f",
    "string_escapes_short": '"\\/\x08\x0c\n\r\t',
    "string_slash_bare": "a/b",
    "string_escape_nul": "\x00",
    "string_escape_control": "\x1f",
    "string_escape_upper": "\xe9\uabcd",
    "string_escape_lower": "\xe9\uabcd",
    "string_escape_then_digits": "A2",
    "string_escape_quote": '"',
    "string_escape_backslash": '\\',
    "string_escape_backslash_twice": "\\u0041",
    "string_two_bytes": "\xe9",
    "string_three_bytes": "\u20ac",
    "string_four_bytes": "\U0001f600",
    "string_pair": "\U0001f600",
    "string_pair_mixed_case": "\U0001f600",
    "string_pair_first": "\U00010000",
    "string_pair_last": "\U0010ffff",
    "string_last_code_point": "\U0010ffff",
    "string_noncharacter": "\uffff",
    "string_noncharacter_escaped": "\ufffe",
    "string_line_separators": "\u2028\u2029",
    "string_nel": "\x85",
    "string_nbsp": "\xa0",
    "string_bom_inside": "\ufeff",
    "string_zero_width": "a\u200bb",
    "string_bidi": "\u202eabc",
    "string_combining": "e\u0301",
    "string_private_use": "\ue000",
    "string_looks_like_json": '{"a":1}',
    "string_looks_like_number": "4",
    "string_looks_like_null": "null",
    "string_brackets": "[[[[{{{{]]",
    "string_comment": "/* a */ // b",
    "string_fence": "```json",
    "string_long": "x" * 5000,
    "string_many_escapes": "\\" * 500,
    "array_empty": [],
    "array_space_inside": [],
    "array_one": [1],
    "array_mixed": [None, True, 1, 1.0, "1", [], {}],
    "array_nested": [[[]]],
    "array_of_objects": [{"a": 1}, {"a": 2}],
    "array_spaces_everywhere": [1, 2],
    "array_newlines": [1, 2],
    "array_32_deep": nested(31, []),
    "array_wide": [0] * 2000,
    "object_empty": {},
    "object_space_inside": {},
    "object_one": {"a": 1},
    "object_two": {"a": 1, "b": 2},
    "object_order_kept": {"b": 1, "a": 2},
    "object_key_empty": {"": 0},
    "object_key_nul": {"\x00": 0},
    "object_key_escaped": {"a\n": 0},
    "object_key_unicode": {"\xe9": 0},
    "object_keys_by_case": {"a": 1, "A": 2},
    "object_keys_by_form": {"\xe9": 1, "e\u0301": 2},
    "object_keys_alike_in_two_objects": {"a": {"a": 1}},
    "object_key_proto": {"__proto__": {}},
    "object_key_space": {" a ": 0},
    "object_key_brackets": {"[{": 0},
    "object_spaces_everywhere": {"a": 1, "b": 2},
    "object_newlines": {"a": 1},
    "object_nested": {"a": {"b": {"c": [{}]}}},
    "object_32_deep": nested(31, {}, "a"),
    "object_wide": {f"k{number}": number for number in range(500)},
    "object_long_key": {"k" * 1000: 0},
    "object_values_of_all_kinds": {
        "n": None, "t": True, "f": False, "i": 4, "x": 4.0, "s": "4", "a": [4], "o": {"a": 4},
    },
    "space_all_four_before": {},
    "space_all_four_after": {},
    "space_much": {},
}  # fmt: skip

#: The code without its stage, and the files that are refused with it.
REFUSED = {
    "empty": """
        empty only_spaces
    """,
    "not_json": """
        only_form_feed only_nbsp only_nul only_comma only_colon only_quote only_minus only_backslash literal_tru
        literal_upper literal_capital literal_none literal_undefined number_nan_lower number_minus_nan
        number_plus_infinity number_inf number_plus number_dot_first number_minus_dot number_exponent_first
        number_minus_space number_two_minus number_fullwidth number_arabic_digit number_currency
        number_minus_sign_unicode string_single_quotes string_curly_quotes string_unclosed string_unclosed_escape
        string_ends_in_backslash string_bare string_backticks string_prefix_b string_raw_nul string_raw_tab
        string_raw_newline string_raw_return string_raw_escape string_raw_last_control string_escape_x
        string_escape_single_quote string_escape_a string_escape_v string_escape_zero string_escape_newline
        string_escape_upper_u string_escape_braces string_u_short string_u_none string_u_not_hex string_u_underscore
        string_u_space string_u_plus string_u_fullwidth string_escape_emoji string_pair_second_short
        string_pair_second_no_u bytes_utf16_le bytes_utf16_be bytes_utf32_le array_unclosed array_only_open
        array_only_close array_comma_last array_comma_first array_comma_only array_two_commas array_no_comma
        array_colon array_wrong_close array_semicolon array_round array_spread array_after_comma_cut
        array_inner_unclosed array_vertical_tab array_ellipsis array_hole_in_object object_unclosed object_only_open
        object_only_close object_comma_last object_comma_first object_two_commas object_no_comma object_no_colon
        object_two_colons object_no_value object_no_key object_value_only object_key_bare object_key_single_quotes
        object_key_number object_key_null object_key_array object_equals object_arrow object_semicolon
        object_wrong_close object_bare_value object_raw_newline_in_key object_cut_in_key object_cut_after_colon
        object_cut_in_value object_python_repr object_python_tuple object_undefined object_date object_template
        object_key_nan comment_line_first comment_block comment_block_first comment_hash comment_html space_nbsp
        space_nbsp_inside space_nel_inside space_line_separator space_zero_width space_escaped space_nbsp_before_colon
        text_prose_before text_html text_xml text_yaml text_yaml_list text_assignment text_call text_jsonp text_guard
        text_think text_record_separator number_in_object_leading_zero number_in_object_plus number_in_object_dot_last
        number_in_object_hex number_in_object_exponent_empty
    """,
    "trailing": """
        literal_nulll literal_two number_leading_zero number_minus_leading_zero number_two_zeros number_dot_last
        number_two_dots number_exponent_empty number_exponent_sign_only number_exponent_fraction number_dot_exponent
        number_hex number_octal number_binary number_underscore number_thousands number_space_inside
        number_letter_after number_fraction_fullwidth number_percent number_big_suffix number_float_suffix string_two
        string_plus array_two_closes array_two object_two_closes object_two object_lines object_comma_after
        object_semicolon_after object_hash_after object_emoji_after comment_line comment_block_after
        space_vertical_tab_after space_form_feed_after space_nul_after space_ideographic_after space_word_joiner_after
        space_bom_after text_prose_after
    """,
    "non_finite": """
        number_nan number_infinity number_minus_infinity array_nan object_nan object_infinity_inside
    """,
    "encoding": """
        bytes_latin_1 bytes_ff bytes_continuation_alone bytes_cut_two bytes_cut_three bytes_cut_four
        bytes_overlong_slash bytes_overlong_nul bytes_overlong_three bytes_surrogate bytes_surrogate_pair
        bytes_beyond_unicode bytes_five bytes_bad_after_value bytes_bad_in_key bytes_bad_outside
        bytes_cut_in_key_by_brace bytes_utf16_le_mark bytes_utf16_be_mark bytes_gzip
    """,
    "depth": """
        array_20000_deep object_20000_deep
    """,
}

#: What RFC 8259 leaves to the reader: the value, or the code it is refused with, and why.
OPEN: dict[str, tuple[Any, str]] = {
    "bom_first": (
        Refused("encoding"),
        "RFC 8259 lets a reader ignore a byte order mark. Refused: what is hashed and stored must be what was read.",
    ),
    "duplicate_key": (
        Refused("duplicate_key"),
        "The RFC says names SHOULD differ. Refused: readers disagree about which one counts.",
    ),
    "duplicate_key_same_value": (
        Refused("duplicate_key"),
        "As above: that both say the same does not make it one.",
    ),
    "duplicate_key_escaped": (
        Refused("duplicate_key"),
        "Two spellings of one name are one name.",
    ),
    "duplicate_key_deep": (
        Refused("duplicate_key"),
        "At every level.",
    ),
    "duplicate_key_empty": (
        Refused("duplicate_key"),
        "An empty name is a name.",
    ),
    "depth_33_arrays": (
        Refused("depth"),
        "A reader may limit nesting. Ours is 32 levels: no tool needs more, and no stack is at risk.",
    ),
    "depth_33_objects": (
        Refused("depth"),
        "The same for objects.",
    ),
    "depth_500": (
        Refused("depth"),
        "Well beyond the limit, and still no exception.",
    ),
    "number_overflow": (
        Refused("non_finite"),
        "A reader may limit numbers. Refused: infinity is no JSON, so it could not be written again.",
    ),
    "number_minus_overflow": (
        Refused("non_finite"),
        "The same below zero.",
    ),
    "number_huge_exponent": (
        Refused("non_finite"),
        "The same however large the exponent.",
    ),
    "number_rounds_to_overflow": (
        Refused("non_finite"),
        "It rounds to infinity.",
    ),
    "number_309_digits": (
        Refused("non_finite"),
        "More digits than a double can hold: another reader would make infinity of it.",
    ),
    "number_5000_digits": (
        Refused("non_finite"),
        "The same; and no time is spent on making the integer.",
    ),
    "number_underflow": (
        0.0,
        "It rounds to zero, as every reader of doubles does. Money is compared by its digits (`exact_number`).",
    ),
    "number_minus_underflow": (
        -0.0,
        "The same below zero.",
    ),
    "number_huge_negative_exponent": (
        0.0,
        "The same however small.",
    ),
    "number_zero_huge_exponent": (
        0.0,
        "Zero stays zero.",
    ),
    "number_too_many_digits": (
        0.12345678901234568,
        "Digits beyond a double are rounded; `exact_number` keeps them.",
    ),
    "number_integer_beyond_double": (
        100000000000000000000000000000001,
        "Integers are exact, also where JavaScript's are not.",
    ),
    "surrogate_high_alone": (
        Refused("encoding"),
        "The grammar allows half a pair; UTF-8 cannot carry it. Refused.",
    ),
    "surrogate_low_alone": (
        Refused("encoding"),
        "The same for the second half.",
    ),
    "surrogate_two_high": (
        Refused("encoding"),
        "Two first halves are no pair.",
    ),
    "surrogate_swapped": (
        Refused("encoding"),
        "Nor are two halves in the wrong order.",
    ),
    "surrogate_high_then_letter": (
        Refused("encoding"),
        "Nor is a half before a letter.",
    ),
    "surrogate_high_then_escape": (
        Refused("encoding"),
        "Nor a half before another escape.",
    ),
    "surrogate_in_key": (
        Refused("encoding"),
        "Names are text, too.",
    ),
    "surrogate_pair_then_half": (
        Refused("encoding"),
        "A whole pair does not excuse the half after it.",
    ),
    "noncharacter": (
        "\uffff\ufdd0",
        "Unicode's noncharacters are legal text; a contract's `format` may refuse them.",
    ),
    "nul_in_string": (
        "a\x00b",
        "The escape is legal; a contract's `format: line` refuses it.",
    ),
    "not_normalised": (
        "e\u0301",
        "Nothing is normalised: what was sent is what is judged.",
    ),
}
