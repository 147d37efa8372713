// Package plainyaml reads YAML that upflab did not write. An alias that names a list of
// aliases makes gigabytes of a kilobyte, and brackets in one another keep the parser busy
// for seconds: both are refused before the parser sees the text.
package plainyaml

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// Small is the limit, bytes, of files that people write.
const Small = 32 << 10

// Unmarshal checks a text as Check does and reads it into a value. It contains the panics of
// the YAML parser.
func Unmarshal(text []byte, most int, into any, options ...yaml.DecodeOption) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Error{1, 1, fmt.Sprintf("the YAML parser gave up on this file (%v); simplify it", p)}
		}
	}()
	if err := Check(text, most); err != nil {
		return err
	}
	return yaml.UnmarshalWithOptions(text, into, options...)
}
