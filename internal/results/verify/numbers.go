package verify

import (
	"math/big"
	"strconv"
	"strings"
)

// sameNumber reports whether a number of a result is the one that was computed, however a program writes it:
// 3.76e-05 is 0.0000376. Some programs write all 17 digits that a float64 needs at most.
func sameNumber(has, want string) bool {
	if has == want || decimal(has) == decimal(want) {
		return true
	}
	v, err := strconv.ParseFloat(want, 64)
	return err == nil && !whole(want) && decimal(has) == decimal(strconv.FormatFloat(v, 'e', 16, 64))
}

// whole reports whether a number is an integer, of which each digit counts.
func whole(number string) bool {
	_, is := new(big.Int).SetString(number, 10)
	return is
}

// decimal writes a number of JSON in one way: its digits without zeros at the ends, and the power of ten.
func decimal(number string) string {
	number, sign := strings.CutPrefix(number, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	power, err := strconv.ParseInt(exponent, 10, 32)
	if exponent != "" && err != nil {
		return number // beyond all that a float64 holds
	}
	power -= int64(len(after))
	digits := strings.TrimLeft(before+after, "0")
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	power += int64(len(digits) - len(short))
	return strconv.FormatBool(sign) + short + "e" + strconv.FormatInt(power, 10)
}
