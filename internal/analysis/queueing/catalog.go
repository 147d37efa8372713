package queueing

import "slices"

// candidate is a model to try, or why it is not tried.
type candidate struct {
	model
	skip Reason
}

// catalog lists all models, simple ones first.
func catalog(h hints, o Options) []candidate {
	mm1 := model{name: "M/M/1", dims: []dimension{h.mu()}, limit: muOf,
		queue: func(load float64, v values) (law, float64) { return mm1(load, v[0]) }}
	var all []candidate
	for _, m := range []model{mm1, batchModel("M[X]/M/1", h, o, false), finite("M/M/1/K", h, mm1k), finite("D/M/1/K", h, dm1k),
		batchModel("M[X]/M/1/K", h, o, true), wakeModel(h), generalModel(h, o)} {
		all = append(all, candidate{m, o.skip(m.name, h)})
	}
	return all
}

// Names lists the models that Fit knows.
func Names() []string {
	h := hints{throughput: 1, highest: 1, least: 1, longest: 1}
	lossy := h
	lossy.lossy = true
	var names []string
	for _, c := range slices.Concat(catalog(h, Options{Arrival: Poisson}), catalog(lossy, Options{}),
		[]candidate{simulatedModel(h, Options{})}) {
		if !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// finite is a model of mu and K alone.
func finite(name string, h hints, queue func(load, mu float64, k int) (law, float64)) model {
	return model{name: name, dims: []dimension{h.mu(), h.queue()},
		queue: func(load float64, v values) (law, float64) {
			return room(v[1], func(k int) (law, float64) { return queue(load, v[0], k) })
		}}
}

func batchModel(name string, h hints, o Options, finite bool) model {
	size, mu := 0, h.mu()
	dims := []dimension{mu}
	if o.Arrival == Bursts && o.Burst > 0 {
		size = o.Burst
	} else {
		dims = append(dims, free(paramBatch, "packets", 1, 1024, 1.5, 8))
	}
	of := func(v values) batches { return batches{mean: v[min(1, len(v)-1)], size: size} }
	m := model{name: name, dims: dims}
	if !finite {
		m.limit = muOf
		m.queue = func(load float64, v values) (law, float64) { return mx1(load, v[0], of(v)) }
		return m
	}
	m.dims = append(m.dims, h.queue())
	m.queue = func(load float64, v values) (law, float64) {
		return room(v[len(v)-1], func(k int) (law, float64) { return mx1k(load, v[0], of(v), k) })
	}
	return m
}

// wakeModel has unlimited room where nothing was lost.
func wakeModel(h hints) model {
	dims := []dimension{h.mu(),
		free(paramWake, "s", h.least/100, 10*h.longest, h.least/2),
		free(paramPatience, "s", h.least/100, 1e4*h.longest, 1/h.highest, 20/h.highest)}
	of := func(v values) sleeper { return sleeper{v[1], v[2]} }
	m := model{name: "M/M/1/K wake-up", dims: dims}
	if !h.lossy {
		m.name, m.limit = "M/M/1 wake-up", muOf
		m.queue = func(load float64, v values) (law, float64) { return wakeup(load, v[0], of(v), 1<<17) }
		return m
	}
	m.dims = append(m.dims, h.queue())
	m.queue = func(load float64, v values) (law, float64) {
		return room(v[3], func(k int) (law, float64) { return wakeup(load, v[0], of(v), k) })
	}
	return m
}
