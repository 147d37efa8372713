package usage

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// TestKeptUsage: what is known of a URR is the same after it was kept. Who adds a field to
// State adds it to KeptUsage, too.
func TestKeptUsage(t *testing.T) {
	if n, kept := reflect.TypeFor[State]().NumField(), reflect.TypeFor[KeptUsage]().NumField(); kept != n+1 {
		t.Errorf("State has %d fields, KeptUsage %d: it has one more, Counted", n, kept)
	}
	at := time.Unix(1e9, 5).UTC()
	u := session.Usage{Uplink: session.Count{Packets: 1, Octets: 1 << 60}, First: at, Last: at}
	was := State{
		sequence: 1, base: u, since: at, began: at, started: true, activity: activity{2, at, at, 3},
		Granted: u.Octets(), quotaAt: at, givenAt: at,
		Ended: true, volumeUp: true, timeUp: true, volumeFrom: u.Octets(), timeFrom: at, before: []monitored{{at, u, 3}}, stopped: at, idle: 4, part: 5,
	}
	text, err := json.Marshal(was.Kept(u))
	if err != nil {
		t.Fatal(err)
	}
	var k KeptUsage
	if err := json.Unmarshal(text, &k); err != nil {
		t.Fatal(err)
	}
	if now := k.State(); !reflect.DeepEqual(was, now) {
		t.Errorf("it was\n%+v, is\n%+v", was, now)
	}
}
