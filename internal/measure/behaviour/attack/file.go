package attack

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Where an input is sent.
const (
	N4 = "n4" // a datagram to the UPF's PFCP port
	N3 = "n3" // a datagram from the gNB to the UPF's GTP-U port
	N6 = "n6" // an IP packet from the data network
)

// Input is one thing that is sent.
type Input struct {
	Port string
	Data []byte
}

// Schema of a File.
const Schema = "upflab.replay/v1"

// File is inputs that did a UPF harm. Addresses, TEIDs and SEIDs in them are placeholders
// for those of the UPF that they are sent to.
type File struct {
	Schema string `yaml:"schema"`
	Title  string `yaml:"title"`
	// UPF is what it was, with its version.
	UPF string `yaml:"upf"`
	// Harm is what it did then.
	Harm   string   `yaml:"harm"`
	Inputs []string `yaml:"inputs"` // "n4: 2132..."
}

// head is the comment of a file.
const head = `# Inputs that did a UPF harm, in the order in which they were sent: n4 is a PFCP message,
# n3 a GTP-U message from the gNB, n6 an IP packet from the data network, in hexadecimal.
# Placeholders: 192.0.2.4 is the SMF, 192.0.2.3 the UPF's N3, 192.0.2.1 the gNB, 203.0.113.1
# and the following are UEs of sessions that are established before, which have the UPF's SEIDs
# 0x5e1d5e1d5e1d5e00 and so on, and the TEIDs 0x7e1d5a00 and so on.
#   upflab behaviour replay FILE --dut NAME
`

// Write writes a file.
func (f *File) Write(path string, list []Input) error {
	f.Schema, f.Inputs = Schema, nil
	for _, in := range list {
		f.Inputs = append(f.Inputs, in.Port+" "+hex.EncodeToString(in.Data))
	}
	b, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return atomicfile.Write(path, append([]byte(head), b...), 0o644)
}

// What a file may have.
const (
	maxInputs = 1_000_000
	maxFile   = 256 << 20 // bytes
)

// Read reads a file.
func Read(path string) (*File, []Input, error) {
	b, err := safefile.Read(path, maxFile)
	if err != nil {
		return nil, nil, fmt.Errorf("read inputs to replay: %w", err)
	}
	var f File
	head, lines := split(b)
	const wanted = "give one that `upflab run attack` kept, as results/DIR/UPF/attack.pfcp.yaml"
	switch err := plainyaml.Unmarshal(head, plainyaml.Small, &f); {
	case len(bytes.TrimSpace(b)) == 0:
		return nil, nil, fmt.Errorf("%s is empty: %s", path, wanted)
	case err != nil:
		return nil, nil, fmt.Errorf("%s is no file of inputs, nor YAML: %s (%w)", path, wanted, err)
	case f.Schema == "":
		return nil, nil, fmt.Errorf("%s is no file of inputs, for it has no schema: %s", path, wanted)
	case f.Schema != Schema:
		return nil, nil, fmt.Errorf("%s has the schema %q, and this upflab reads %q: take the upflab that kept it", path, f.Schema, Schema)
	}
	f.Inputs = append(f.Inputs, lines...)
	list, err := f.inputs()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return &f, list, nil
}

// split takes the list of inputs as Write writes it, a line each, out of a file: it may be
// megabytes, for which a YAML parser takes gigabytes. A file that somebody wrote in another
// way is left to the parser.
func split(b []byte) (head []byte, inputs []string) {
	const key = "\ninputs:\n"
	at := bytes.Index(b, []byte(key))
	if at < 0 {
		return b, nil
	}
	rest := b[at+len(key):]
	for len(rest) > 0 && len(inputs) <= maxInputs {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		input, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("- n"))
		if !ok || bytes.ContainsAny(input, "\"'#:&*") {
			break
		}
		inputs = append(inputs, "n"+string(input))
		rest = after
	}
	if len(inputs) == 0 {
		return b, nil
	}
	return append(b[:at:at+1], append([]byte("\n"), rest...)...), inputs
}

func (f *File) inputs() (list []Input, err error) {
	if len(f.Inputs) == 0 || len(f.Inputs) > maxInputs {
		return nil, fmt.Errorf("it has %d inputs, and may have 1 to %d", len(f.Inputs), maxInputs)
	}
	for i, line := range f.Inputs {
		port, text, _ := strings.Cut(line, " ")
		data, err := hex.DecodeString(text)
		switch {
		case port != N4 && port != N3 && port != N6:
			err = errors.New("it begins with none of n4, n3, n6")
		case err == nil && (len(data) == 0 || len(data) > 1<<16-64):
			err = fmt.Errorf("it has %d octets", len(data))
		}
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i+1, err)
		}
		list = append(list, Input{Port: port, Data: data})
	}
	return list, nil
}
