package dashboards

import (
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// query is one query of a panel.
type query struct{ expr, legend string }

// panel is what all panels have.
type panel struct {
	title, about string // about answers "what does this tell me"
	unit         string
	width        uint32 // of 24
	queries      []query
}

// quantile is a quantile of a histogram, by a label, over a time. A server that
// scrapes native histograms has no classic buckets, and others have only those.
func quantile(q, series, matchers, by, over string) string {
	return fmt.Sprintf(`histogram_quantile(%[1]s, sum by (%[4]s) (rate(%[2]s%[3]s[%[5]s])))
  or
histogram_quantile(%[1]s, sum by (%[4]s, le) (rate(%[2]s_bucket%[3]s[%[5]s])))`, q, series, matchers, by, over)
}

// grades colour a value: at or above at, it has the colour.
type grade struct {
	at     float64
	colour string
}

// row is a heading with its panels.
type row struct {
	title  string
	panels []cog.Builder[dashboard.Panel]
}

const (
	green  = "green"
	yellow = "yellow"
	orange = "orange"
	red    = "red"
	grey   = "text"
)

// badAbove is green up to a value and red from it.
func badAbove(at float64) []grade { return []grade{{0, green}, {at, red}} }

func source() common.DataSourceRef {
	return common.DataSourceRef{Type: cog.ToPtr("prometheus"), Uid: cog.ToPtr("$datasource")}
}

// targets are the queries of a panel; instant for what shows one value.
func (p panel) targets(instant bool) []cog.Builder[variants.Dataquery] {
	var list []cog.Builder[variants.Dataquery]
	for i, q := range p.queries {
		b := prometheus.NewDataqueryBuilder().Expr(q.expr).LegendFormat(q.legend).
			RefId(string(rune('A' + i))).Datasource(source())
		if instant {
			b = b.Instant().Format(prometheus.PromQueryFormatTable)
		} else {
			b = b.Range().Exemplar(true)
		}
		list = append(list, b)
	}
	return list
}

func thresholds(grades []grade) *dashboard.ThresholdsConfigBuilder {
	var steps []dashboard.Threshold
	for i, g := range grades {
		step := dashboard.Threshold{Color: g.colour}
		if i > 0 {
			step.Value = cog.ToPtr(g.at)
		}
		steps = append(steps, step)
	}
	return dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(steps)
}

// number shows the newest value of each query, large.
func (p panel) number(grades []grade, none string) cog.Builder[dashboard.Panel] {
	b := stat.NewPanelBuilder().Title(p.title).Description(p.about).Datasource(source()).
		Unit(p.unit).Span(p.width).Height(4).NoValue(none).Thresholds(thresholds(grades)).
		GraphMode(common.BigValueGraphModeNone).ColorMode(common.BigValueColorModeBackground).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
	for i, q := range p.queries {
		b = b.WithTarget(prometheus.NewDataqueryBuilder().Expr(q.expr).LegendFormat(q.legend).
			RefId(string(rune('A' + i))).Datasource(source()).Instant())
	}
	return b
}

// lines shows how each query went.
func (p panel) lines() cog.Builder[dashboard.Panel] { return p.series(0) }

// areas is lines with the area below them filled.
func (p panel) areas() cog.Builder[dashboard.Panel] { return p.series(30) }

func (p panel) series(fill float64) cog.Builder[dashboard.Panel] {
	b := timeseries.NewPanelBuilder().Title(p.title).Description(p.about).Datasource(source()).
		Unit(p.unit).Span(p.width).Height(8).Min(0).FillOpacity(fill).
		Legend(common.NewVizLegendOptionsBuilder().DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).ShowLegend(true).Calcs([]string{"lastNotNull", "max"}))
	for _, t := range p.targets(false) {
		b = b.WithTarget(t)
	}
	return b
}

// column is a column of a table: the value of one query.
type column struct {
	name, unit string
	grades     []grade
}

// grid shows one line for each label set, and a column for each query.
func (p panel) grid(columns ...column) cog.Builder[dashboard.Panel] {
	b := table.NewPanelBuilder().Title(p.title).Description(p.about).Datasource(source()).
		Span(p.width).Height(9).
		WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
		WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
			"excludeByName": map[string]bool{"Time": true},
		}})
	for _, t := range p.targets(true) {
		b = b.WithTarget(t)
	}
	for i, c := range columns {
		name := fmt.Sprintf("Value #%c", 'A'+i)
		if len(columns) == 1 {
			name = "Value"
		}
		properties := []dashboard.DynamicConfigValue{
			{Id: "displayName", Value: c.name},
			{Id: "unit", Value: c.unit},
		}
		if c.grades != nil {
			properties = append(properties,
				dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]string{"type": "color-background"}},
				dashboard.DynamicConfigValue{Id: "thresholds", Value: built(thresholds(c.grades))})
		}
		b = b.OverrideByName(name, properties)
	}
	return b
}

func built(b *dashboard.ThresholdsConfigBuilder) any {
	c, err := b.Build()
	if err != nil {
		return nil // the builder of the panel reports it
	}
	return c
}

// draw puts a dashboard together.
func draw(uid, title, about string, o Options, variables []cog.Builder[dashboard.VariableModel], rows []row) ([]byte, error) {
	//nolint:staticcheck // dashboardv2 is not read by the Grafana of most; this is read by all.
	b := dashboard.NewDashboardBuilder(title).Uid(uid).Description(about).Tags([]string{"crosstalk"}).
		Time("now-6h", "now").Refresh("30s").Timezone("browser").Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Link(dashboard.NewDashboardLinkBuilder("crosstalk").Type(dashboard.DashboardLinkTypeLink).Url(o.url() + "/")).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus"))
	for _, v := range variables {
		b = b.WithVariable(v)
	}
	for _, r := range rows {
		b = b.WithRow(dashboard.NewRowBuilder(r.title))
		for _, p := range r.panels {
			b = b.WithPanel(p)
		}
	}
	d, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("build dashboard %s: %w", uid, err)
	}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode dashboard %s: %w", uid, err)
	}
	return append(data, '\n'), nil
}
