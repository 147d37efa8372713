package trex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// answer is the JSON-RPC answer to one call.
type answer struct {
	Version string          `json:"jsonrpc"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code     int    `json:"code"`
		Message  string `json:"message"`
		Specific string `json:"specific_err"`
	} `json:"error"`
}

// decode reads the answers to calls into results. The first that is an error is returned.
func decode(text []byte, calls []call, results []any) error {
	list, err := answersIn(text)
	if err != nil {
		return err
	}
	if len(list) != len(calls) {
		return fmt.Errorf("TRex gave %d answers to %d requests", len(list), len(calls))
	}
	for i, a := range list {
		var into any
		if i < len(results) {
			into = results[i]
		}
		if err := a.read(calls[i].method, into); err != nil {
			return err
		}
	}
	return nil
}

func answersIn(text []byte) (list []answer, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err = json.Unmarshal(text, &list)
	} else {
		list = make([]answer, 1)
		err = json.Unmarshal(text, &list[0])
	}
	if err != nil {
		return nil, fmt.Errorf("TRex's answer cannot be read: %w", err)
	}
	return list, nil
}

func (a *answer) read(method string, into any) error {
	switch {
	case a.Error != nil:
		message := a.Error.Specific
		if message == "" {
			message = a.Error.Message
		}
		return &RefusedError{Method: method, Message: oneLine(message), Code: a.Error.Code}
	case a.Version != "2.0" || a.Result == nil:
		return fmt.Errorf("TRex's answer to %s is no JSON-RPC", method)
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(a.Result, into); err != nil {
		return fmt.Errorf("TRex's answer to %s is not as its specification says: %w", method, err)
	}
	return nil
}

// oneLine is a text without line breaks, and not too long.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + " ..."
	}
	return s
}
