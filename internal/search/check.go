package search

import "slices"

// Check says what is wrong with the settings, of kind [ErrSettings], before
// anything is measured.
func (m MLRsearch) Check() error {
	m.Goals = slices.Clone(m.Goals)
	for i := range m.Goals {
		m.Goals[i] = m.Goals[i].withDefaults()
	}
	return m.check()
}

// Check is as of [MLRsearch.Check].
func (t Throughput) Check() error { return t.check() }

// Check is as of [MLRsearch.Check].
func (l LossCurve) Check() error { return l.check() }

// Check is as of [MLRsearch.Check].
func (b BackToBack) Check() error { return b.check() }
