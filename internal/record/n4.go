package record

// N4Finding is a fault of a UPF that the SMF's side saw on N4: something that
// TS 29.244 does not allow, or a request that had to be sent again.
type N4Finding struct {
	Code    string `json:"code"`    // the kind: "answer_seid_wrong" ...
	Count   uint64 `json:"count"`   // in all visits
	Example string `json:"example"` // the first one
}

// AddN4 adds what a visit found to what earlier ones did, by code.
func AddN4(list, more []N4Finding) []N4Finding {
	for _, f := range more {
		at := 0
		for at < len(list) && list[at].Code != f.Code {
			at++
		}
		if at == len(list) {
			list = append(list, f)
			continue
		}
		list[at].Count += f.Count
	}
	return list
}
