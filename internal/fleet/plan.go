package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Plan is a campaign as it was submitted: its jobs, in the order of the queue.
type Plan struct {
	Campaign string `json:"campaign"`
	Version  string `json:"version"` // of the upflab that submitted it
	Jobs     []Job  `json:"jobs"`
}

// Classes are those of the jobs.
func (p *Plan) Classes() map[string]Class {
	m := map[string]Class{}
	for _, j := range p.Jobs {
		m[j.Class.ID()] = j.Class
	}
	return m
}

// Pack is the plan as the hub keeps it, signed by the operator: a client makes jobs of it again.
func (p *Plan) Pack(by *Identity) ([]byte, error) {
	var data bytes.Buffer
	zip := gzip.NewWriter(&data)
	if err := errors.Join(json.NewEncoder(zip).Encode(p), zip.Close()); err != nil {
		return nil, err
	}
	return by.sign(kindPlan, data.Bytes())
}

// UnpackPlan reads a packed plan, of which only the operator's is one.
func UnpackPlan(v *Identity, packed []byte) (*Plan, error) {
	body, by, err := v.verify(kindPlan, packed)
	if err == nil && !by.IsOperator() {
		err = ErrUnsigned
	}
	if err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	p := new(Plan)
	const most = 1 << 30 // octets
	if err := json.NewDecoder(io.LimitReader(zip, most)).Decode(p); err != nil {
		return nil, fmt.Errorf("not a plan: %w", err)
	}
	return p, nil
}
