package netdev

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// The structs of these tests were filled by a C program with include/uapi/linux/ethtool.h, and
// printed.
func wantStruct(t *testing.T, story string, got *rxnfc, want string) {
	t.Helper()
	want += strings.Repeat("0", 2*len(got)-len(want))
	if text := hex.EncodeToString(got[:]); text != want {
		t.Errorf("%s is\n%s, want\n%s", story, text, want)
	}
}

func TestFlowHashRequests(t *testing.T) {
	wantStruct(t, "a hash of addresses and TEID",
		flowHash(setFlowHash, GTPUFlows["gtpu4e"], HashSource|HashDestination|HashTEID), "2a000000190000003001")
	wantStruct(t, "the question", flowHash(getFlowHash, GTPUFlows["gtpu4"], 0), "2900000013")
}

func TestRuleRequests(t *testing.T) {
	const (
		head   = "32000000000000000000000000000000" + "02000080" + "00000000000000000000" + "0868"
		blank  = "00000000000000000000000000000000000000000000000000000000000000000000000000000000" + "000000000000000000000000"
		mask   = "00000000000000000000" + "ffff"
		behind = "ffffffffffffffff" + "00000000" + "0300000000000000"
	)
	wantStruct(t, "a rule of a whole TEID", TEIDRule{TEID: 0x12345678, Whole: true, Queue: 3}.request(locationAny),
		head+blank+"0004123400065678"+mask+blank+behind+"ffffffff")
	wantStruct(t, "a rule of half a TEID", TEIDRule{TEID: 0x12345678, Queue: 3}.request(77),
		head+blank+"0000000000065678"+mask+blank+behind+"4d000000")
	r := command(deleteRule)
	r.put32(atRuleLocation, 77)
	wantStruct(t, "a rule's end", r, "31"+strings.Repeat("00", 175)+"4d")
}

func TestFreeLocation(t *testing.T) {
	for _, c := range []struct {
		table ruleTable
		want  uint32
	}{
		{ruleTable{size: 8}, 7},
		{ruleTable{size: 8, locations: []uint32{7, 6, 0}}, 5},
		{ruleTable{size: 8, picks: true}, locationAny},
	} {
		if got, err := c.table.free(); got != c.want || err != nil {
			t.Errorf("%+v: %d, %v; want %d", c.table, got, err, c.want)
		}
	}
	full := ruleTable{size: 2, locations: []uint32{0, 1}}
	if _, err := full.free(); err == nil {
		t.Error("a full table has room")
	}
}

func TestHalvesDiffer(t *testing.T) {
	if !halvesDiffer([]uint32{0x10001, 0x10002}) || halvesDiffer([]uint32{0x10001, 0x20001}) {
		t.Error("halves are compared wrongly")
	}
}

func TestQueues(t *testing.T) {
	for _, c := range []struct {
		story     string
		now, most Channels
		want      Channels
		limit     uint32
	}{
		{"ice, mlx5: combined", Channels{Combined: 8}, Channels{Combined: 64, Receive: 64, Send: 64}, Channels{Combined: 4}, 64},
		{"veth: apart", Channels{Receive: 1, Send: 1}, Channels{Receive: 8, Send: 6}, Channels{Receive: 4, Send: 4}, 6},
	} {
		if want, limit := queues(c.now, c.most, 4); want != c.want || limit != c.limit {
			t.Errorf("%s: %+v, %d; want %+v, %d", c.story, want, limit, c.want, c.limit)
		}
	}
	if got := slices.Max([]uint32{GTPUFlows["gtpu4d"], GTPUFlows["gtpu4u"]}); got != 0x1d {
		t.Errorf("the last kind of packet is %#x", got)
	}
}
