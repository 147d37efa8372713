package block

import (
	"encoding/json"
	"math"
)

// Num is a number in JSON: null where there is none.
type Num float64

// MarshalJSON writes null for NaN and infinities.
func (n Num) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(v)
}

// Known is nil for what is no number.
func Known(v float64) *Num {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	n := Num(v)
	return &n
}

// MarshalJSON writes [x, y], [x, y, style] or [x, y, style, more ...].
func (p Point) MarshalJSON() ([]byte, error) {
	list := []any{Num(p.X), Num(p.Y)}
	if p.Style != "" || len(p.More) > 0 {
		list = append(list, p.Style)
	}
	for _, v := range p.More {
		if f, ok := v.(float64); ok {
			v = Num(f)
		}
		list = append(list, v)
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Point) UnmarshalJSON(data []byte) error {
	var list []any
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	p.X, p.Y = math.NaN(), math.NaN()
	for i, at := range []*float64{&p.X, &p.Y} {
		if i < len(list) && list[i] != nil {
			*at, _ = list[i].(float64)
		}
	}
	if len(list) > 2 {
		p.Style, _ = list[2].(string)
		p.More = list[3:]
	}
	return nil
}

// MarshalJSON writes [x, low, high].
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal([]Num{Num(i.X), Num(i.Low), Num(i.High)})
}

// MarshalJSON writes [x, to x, y, to y, share].
func (c HeatCell) MarshalJSON() ([]byte, error) {
	return json.Marshal([]Num{Num(c.X), Num(c.ToX), Num(c.Y), Num(c.ToY), Num(c.Share)})
}
