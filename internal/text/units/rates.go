package units

// Rates is the unit of packet rates that are to be compared: all of them have one.
type Rates struct {
	per  float64 // packets/s
	name string
	some Writer
}

// The units of rates.
var (
	MppsRates = Rates{1e6, "Mpps", FineMpps}
	kppsRates = Rates{1e3, "kpps", func(pps float64) string { return Number(pps/1e3, "%.1f") }}
	ppsRates  = Rates{1, "pps", func(pps float64) string { return Number(pps, "%.0f") }}
)

// RatesOf is the unit that suits a range of rates, packets/s.
func RatesOf(least, most float64) Rates {
	switch {
	case most >= 999_950 && least >= 1e5:
		return MppsRates
	case most >= 1e3:
		return kppsRates
	}
	return ppsRates
}

// Name is "Mpps".
func (u Rates) Name() string { return u.name }

// Number writes a rate without the unit.
func (u Rates) Number(pps float64) string { return u.some(pps) }

// Fine writes it to four digits, without the unit.
func (u Rates) Fine(pps float64) string { return Number(pps/u.per, "%#.4g") }

// Text writes a rate with the unit.
func (u Rates) Text(pps float64) string { return u.Number(pps) + " " + u.name }
