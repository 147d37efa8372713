package run

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestExcluded(t *testing.T) {
	trials := func(list ...*record.Excluded) *view.Run {
		d := record.DUT{Name: "wire", Status: record.StatusOK}
		for i, x := range list {
			d.Trials = append(d.Trials, record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: i + 1, Excluded: x})
		}
		return view.New(&record.Result{DUTs: []record.DUT{d}})
	}
	for _, c := range []struct {
		v    *view.Run
		want string
	}{
		{trials(nil), ""},
		{trials(&record.Excluded{Of: 100}), ""},
		{trials(&record.Excluded{Of: 100, Windows: 10}, &record.Excluded{Of: 300, Windows: 10}), "5 % of the time"},
		{trials(&record.Excluded{Of: 100, Windows: 10}, &record.Excluded{Of: 100, Windows: 99, Void: true}), "10 % of the time"},
		{trials(&record.Excluded{Of: 100, Windows: 99, Void: true}), "1 of the trials"},
	} {
		if got := excluded(c.v); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
