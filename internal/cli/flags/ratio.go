package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Ratio is a flag written as "3%" or "0.03".
type Ratio float64

// Set reads the flag.
func (r *Ratio) Set(text string) error {
	number, hundredths := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return errors.New("not a ratio: write 3% or 0.03")
	}
	if hundredths {
		v /= 100
	}
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("%s is not a ratio from 0 to below 1: write 3%% or 0.03", text)
	}
	*r = Ratio(v)
	return nil
}

// String writes it in hundredths.
func (r *Ratio) String() string {
	if *r == 0 {
		return "0%"
	}
	return strconv.FormatFloat(float64(*r)*100, 'g', 6, 64) + "%"
}

// Type is what the help calls it.
func (r *Ratio) Type() string { return "ratio" }
