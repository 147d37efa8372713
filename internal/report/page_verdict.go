package report

import "github.com/upflab/upflab/internal/record"

func pageVerdicts(list []verdict) []pageVerdict {
	all := make([]pageVerdict, len(list))
	for i, v := range list {
		all[i] = pageVerdict{
			DUT: v.DUT, Color: v.Color, Name: v.name(), Repeat: v.Repeat, Valid: v.Valid,
			Limited: orNone(v.LimitedBy), LimitClass: limitClass(v.LimitedBy), Why: verdictWords(v),
		}
	}
	return all
}

// limitClass is the style of a limit.
func limitClass(limitedBy string) string {
	switch limitedBy {
	case record.LimitDUT:
		return "dut-limit"
	case record.LimitNone:
		return "none"
	default:
		return "other"
	}
}
