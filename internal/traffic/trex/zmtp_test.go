package trex

import (
	"bytes"
	"encoding/hex"
	"net"
	"strings"
	"testing"
	"time"
)

// TestZMTP: our bytes are those that libzmq 4.3.5 sends as a REQ socket, but for the minor
// version and the identity, and its bytes are understood.
func TestZMTP(t *testing.T) {
	const (
		greets = "ff00000000000000017f03014e554c4c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
		// READY with Socket-Type and an empty Identity, then the request "ping".
		sends = "04260552454144590b536f636b65742d5479706500000003524551084964656e74697479000000000100000470696e67"
	)
	theirs := unhex(t, greets)
	ours := greeting()
	if copy(theirs[1:9], ours[1:9]); !bytes.Equal(theirs[:11], ours[:11]) || !bytes.Equal(theirs[12:], ours[12:]) { // the padding is free
		t.Errorf("greeting %x", ours)
	}
	their := strings.Replace(sends, "0426", "0419", 1)
	their = strings.Replace(their, "084964656e7469747900000000", "", 1)
	mine := appendFrame(appendFrame(appendFrame(nil, flagCommand, ready("REQ")), flagMore, nil), 0, []byte("ping"))
	if hex.EncodeToString(mine) != their {
		t.Errorf("sent   %x\nlibzmq %s", mine, their)
	}
	if body, err := readAnswer(bytes.NewReader(unhex(t, libzmqPong))); string(body) != "pong" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	long := append(unhex(t, "010002000000000000012c"), bytes.Repeat([]byte("x"), 300)...)
	if body, err := readAnswer(bytes.NewReader(long)); len(body) != 300 || err != nil {
		t.Errorf("%d octets, %v", len(body), err)
	}
}

// TestNoZMTP: whatever else listens at a port is refused, soon.
func TestNoZMTP(t *testing.T) {
	for name, bytes := range map[string]string{
		"HTTP": "HTTP/1.1 400 Bad Request\r\n\r\n", "nothing": "", "version 2": "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x01\x00",
		"security":            string(unhex(t, libzmqGreeting)[:12]) + "CURVE" + strings.Repeat("\x00", 47),
		"a frame without end": string(unhex(t, libzmqGreeting)[:64]) + "\x06\x7f\xff\xff\xff\xff\xff\xff\xff",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			if err == nil {
				c.Write([]byte(bytes))
				time.Sleep(100 * time.Millisecond) // the client reads what came before it sees the end
				c.Close()
			}
		}()
		if _, err := dial(l.Addr().String(), time.Second); err == nil {
			t.Errorf("%s was taken for a server", name)
		}
		l.Close()
	}
}

func TestZip(t *testing.T) {
	// by TRex's Python client
	const zipped = "abe85cea0000002c789cab56ca2acecf2b2a4856b25232d23350d251ca4c51b232d4512a4a2d2ecd2951b2aa562a29060ae899d6d6020029b90d2c"
	if b, err := unpack(unhex(t, zipped)); string(b) != `{"jsonrpc":"2.0","id":1,"result":{"ts":1.5}}` || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	text := bytes.Repeat([]byte("0123456789"), 1000)
	b, err := pack(text)
	if err != nil || len(b) > 1000 || hex.EncodeToString(b[:4]) != "abe85cea" {
		t.Fatalf("%d octets, %v", len(b), err)
	}
	if b, err = unpack(b); !bytes.Equal(b, text) || err != nil {
		t.Errorf("%d octets, %v", len(b), err)
	}
	bomb := unhex(t, zipped)
	bomb[7]--
	if _, err := unpack(bomb); err == nil {
		t.Error("an answer longer than it claims was taken")
	}
}
