package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// FileName is the result of a run in its folder.
const FileName = "result.json"

// Save writes the result to dir/result.json. The file is there whole or as it
// was before: it is written aside, synced and renamed. A full disk is a
// *DiskFullError.
func Save(dir string, r *record.Result) error {
	data, err := encode(r)
	if err != nil {
		return fmt.Errorf("saving the result of %s to %s: %w", r.Scenario, dir, err)
	}
	return replaceFile(filepath.Join(dir, FileName), data)
}

func encode(r *record.Result) ([]byte, error) {
	out := *r
	if out.Schema == "" {
		out.Schema = record.Schema
	}
	data, err := json.Marshal(&out)
	var value *json.UnsupportedValueError
	if errors.As(err, &value) {
		return nil, fmt.Errorf("a number in it is %s, which JSON cannot hold; it was computed from nothing, e.g. "+
			"a rate over 0 s: %w", value.Str, err)
	}
	return append(data, '\n'), err
}

// Load reads the result at path, which is a result.json or the folder of one, of the size of
// Whole at most.
func Load(path string) (*record.Result, error) { return Whole.Load(path) }

// Load reads a result within the limit. The path is as that of Load.
func (l Limit) Load(path string) (*record.Result, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	data, err := safefile.Read(path, l.Bytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading a result: %w; name the folder of a run or its %s", err, FileName)
	}
	if errors.Is(err, safefile.ErrTooLarge) || errors.Is(err, safefile.ErrNotRegular) {
		return nil, RefusedError{fmt.Errorf("reading a result: %w", err)}
	}
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	if err = l.check(data); err == nil {
		var r *record.Result
		if r, err = Decode(data); err == nil {
			return r, nil
		}
	}
	return nil, Refuse(path, err)
}

// RefusedError is a file that was read and is no result that upflab takes: it is damaged, of another
// version, too large, or made to do harm. What reads it is not at fault.
type RefusedError struct{ error }

// Refuse is the error of a result that was read and cannot be shown.
func Refuse(path string, err error) error { return RefusedError{fmt.Errorf("%s: %w", path, err)} }

// Unwrap gives what is wrong with the file.
func (e RefusedError) Unwrap() error { return e.error }

// Decode reads the bytes of a result.json.
func Decode(data []byte) (*record.Result, error) {
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	r := new(record.Result)
	var field *json.UnmarshalTypeError
	err := json.Unmarshal(data, r)
	if errors.As(err, &field) {
		return nil, fmt.Errorf("not a result as %s is written: %s is a JSON %s; was the file edited?", record.Schema, field.Field, field.Value)
	}
	if err != nil {
		return nil, fmt.Errorf("not a result as %s is written: %w", record.Schema, err)
	}
	r.MarkBounds()
	return r, nil
}

// checkSchema distinguishes what is cut short, no JSON, no result, and another
// version's result.
func checkSchema(data []byte) error {
	if len(strings.TrimSpace(string(data))) == 0 {
		return errors.New("the file is empty; the run that made it did not finish writing, so measure again")
	}
	var head struct {
		Schema json.RawMessage `json:"schema"`
	}
	err := json.Unmarshal(data, &head)
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)):
		return fmt.Errorf("the file ends in the middle of a value, after %d bytes; it was cut short, so copy it "+
			"again or measure again", len(data))
	case errors.As(err, &shape) || (err == nil && head.Schema == nil):
		return fmt.Errorf("not a result of upflab: it has no \"schema\"; a result has %q", record.Schema)
	case err != nil:
		return fmt.Errorf("not JSON, and so not a result: %w", err)
	}
	if got := string(head.Schema); got != fmt.Sprintf("%q", record.Schema) {
		return fmt.Errorf("its schema is %s; this upflab reads %q: use the upflab that wrote it", got, record.Schema)
	}
	return nil
}

// replaceFile puts data at path whole, or leaves what was there.
func replaceFile(path string, data []byte) error {
	if err := atomicfile.Write(path, data, 0o644); err != nil {
		return explainWrite(path, len(data), err)
	}
	return nil
}
