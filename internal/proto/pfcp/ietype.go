package pfcp

// IEType is the type of an information element (TS 29.244 table 8.1.2-1).
type IEType uint16

// String returns the IE's name, e.g. "QER ID".
func (t IEType) String() string {
	if int(t) < len(ieNames) && ieNames[t] != "" {
		return ieNames[t]
	}
	if t >= 0x8000 {
		return "vendor-specific IE"
	}
	return "unknown IE"
}
