package record

import "encoding/json"

// Stream is what is sent, whatever the load.
type Stream struct {
	Direction Direction
	Size      string // as the scenario writes it
	Payload   int    // octets, of a mixture the mean
	Sessions  int
	Arrivals  string // the arrival process; "": constant gaps
}

// Key is what two trials have in common that are the same trial: of two repeats, of
// two DUTs, or of two runs.
type Key struct {
	Kind Kind
	Stream
	Load      Load   // of a share, without the rate that it came to
	Procedure string // of N4; "": it is of packets
}

// Stream is that of the trial.
func (t *Trial) Stream() Stream {
	s := Stream{Direction: t.Direction, Size: t.SizeName(), Payload: t.PayloadBytes, Sessions: t.Sessions}
	if t.Arrivals != nil {
		s.Arrivals = t.Arrivals.Process
	}
	return s
}

// Stream is that of the search's trials.
func (s *Search) Stream() Stream {
	return Stream{Direction: s.Direction, Size: s.SizeName(), Payload: s.PayloadBytes, Sessions: s.Sessions}
}

// Key gives what identifies the trial among those of its DUT, apart from the repeat.
func (t *Trial) Key() Key {
	k := Key{Kind: t.Kind, Stream: t.Stream(), Load: t.Load}
	if k.Load.Share > 0 {
		k.Load.PPS = 0
	}
	if t.Counted != nil {
		k.Procedure = t.Counted.Procedure
	}
	return k
}

// KeyAtRate takes the load as the rate that was offered, whatever it is a share of:
// so a trial of one DUT finds that of another at the same packets/s.
func (t *Trial) KeyAtRate() Key {
	return Key{Kind: t.Kind, Stream: t.Stream(), Load: Load{PPS: t.Load.PPS}}
}

// Bare leaves out what may differ between results that are still compared.
func (k Key) Bare() Key {
	k.Size, k.Payload, k.Sessions, k.Arrivals = "", 0, 0, ""
	return k
}

// trialJSON is a trial as result.json has it: the rate of its load is a field.
type trialJSON struct {
	*trialFields
	OfferedPPS float64 `json:"offered_pps"` // 0 for max
}

type trialFields Trial

// MarshalJSON writes the trial with its rate, offered_pps.
func (t Trial) MarshalJSON() ([]byte, error) {
	return json.Marshal(trialJSON{(*trialFields)(&t), t.Load.PPS})
}

// UnmarshalJSON reads it back.
func (t *Trial) UnmarshalJSON(data []byte) error {
	x := trialJSON{trialFields: (*trialFields)(t)}
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	t.Load.PPS = x.OfferedPPS
	return nil
}
