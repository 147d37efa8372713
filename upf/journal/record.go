package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"regexp"
)

// A record is a line: the checksum of a change (CRC-32C, 8 hexadecimal digits), a space, and the change in
// JSON. Earlier versions wrote no checksum.

// sealed makes a record of a change in JSON.
func sealed(change []byte) []byte {
	record := make([]byte, 0, checksumLength+len(change)+1)
	record = append(record, checksum(change)...)
	return append(append(record, change...), '\n')
}

const checksumLength = 9

func checksum(change []byte) []byte {
	return fmt.Appendf(nil, "%08x ", crc32.Checksum(change, crc32.MakeTable(crc32.Castagnoli)))
}

var errDamaged = errors.New("a damaged record")

// opened is the change of a record, without its end of line.
func opened(record []byte) (l line, err error) {
	change := record
	if !unsealed(record) {
		if len(record) < checksumLength || !bytes.Equal(record[:checksumLength], checksum(record[checksumLength:])) {
			return l, errDamaged
		}
		change = record[checksumLength:]
	}
	if json.Unmarshal(change, &l) != nil || l.Key == "" {
		return l, errDamaged
	}
	return l, nil
}

// unsealed reports whether a record is one of an earlier version.
func unsealed(record []byte) bool { return len(record) > 0 && record[0] == '{' }

// keys finds the keys in a damaged record. One that has lost its end has another behind it.
func keys(record []byte) (list []string) {
	for _, found := range keyIn.FindAllSubmatch(record, -1) {
		list = append(list, string(found[1]))
	}
	return list
}

var keyIn = regexp.MustCompile(`\{"k":"([^"\\]+)"`)

// mostRecord is far more than a session with all the rules that it may have.
const mostRecord = 64 << 20

var errNoJournal = fmt.Errorf("it has a record of over %d MiB, which no UPF writes: move the file away to begin anew", mostRecord>>20)

// next reads a record with its end of line. io.EOF is that of a record without an end, too, as of a process
// that was killed while it wrote.
func next(r *bufio.Reader) (record []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		record = append(record, part...)
		switch {
		case !errors.Is(err, bufio.ErrBufferFull):
			return record, err
		case len(record) > mostRecord:
			return nil, errNoJournal
		}
	}
}
