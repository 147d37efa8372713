package trex

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// A compressed message is this number, the length before compression, both in 4 octets,
// and a zlib stream.
const zipMagic = 0xabe85cea

const zipHeader = 8

// zipAbove is how long a request is that is compressed, octets. TRex answers as it was
// asked, so that the long answers to short requests are sent as they are.
const zipAbove = 4096

func pack(request []byte) ([]byte, error) {
	if len(request) < zipAbove {
		return request, nil
	}
	var b bytes.Buffer
	b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, zipMagic), uint32(len(request))))
	w := zlib.NewWriter(&b)
	if _, err := w.Write(request); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func unpack(answer []byte) ([]byte, error) {
	if len(answer) < zipHeader || binary.BigEndian.Uint32(answer) != zipMagic {
		return answer, nil
	}
	n := binary.BigEndian.Uint32(answer[4:])
	if n > maxFrame {
		return nil, fmt.Errorf("a compressed answer of %d octets, which is too long", n)
	}
	r, err := zlib.NewReader(bytes.NewReader(answer[zipHeader:]))
	if err != nil {
		return nil, fmt.Errorf("a compressed answer that cannot be read: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(n)+1))
	if err != nil {
		return nil, fmt.Errorf("a compressed answer that cannot be read: %w", err)
	}
	if uint32(len(b)) != n {
		return nil, fmt.Errorf("a compressed answer that has not the %d octets it claims", n)
	}
	return b, nil
}
