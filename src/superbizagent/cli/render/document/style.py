"""The style of the HTML document: light and dark by the reader's setting, a phone, a printer."""

__all__ = ["CSS"]

CSS = """
:root{color-scheme:light dark;--bg:#fff;--ink:#212529;--ink-2:#495057;--line:#dee2e6;--card:#f8f9fa;
--link:#364fc7;--pass:#1c5b29;--pass-bg:#d3f9d8;--warn:#6b4a00;--warn-bg:#fff0c2;--fail:#a01313;
--fail-bg:#ffe0e0;--info:#343a40;--info-bg:#e9ecef;--band:rgba(73,80,87,.16);--mark:#fff3bf;
--incident:rgba(224,49,49,.12);--onset:#e03131;--course:#3b5bdb}
@media (prefers-color-scheme:dark){:root{--bg:#1a1b1e;--ink:#dee2e6;--ink-2:#adb5bd;--line:#373a40;
--card:#25262b;--link:#91a7ff;--pass:#b2f2bb;--pass-bg:#173d20;--warn:#ffe08a;--warn-bg:#4a3600;
--fail:#ffc9c9;--fail-bg:#5c1616;--info:#ced4da;--info-bg:#343a40;--band:rgba(173,181,189,.2);
--mark:#4a3600;--incident:rgba(255,107,107,.18);--onset:#ff6b6b;--course:#91a7ff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;padding:16px 24px 48px;max-width:1100px;background:var(--bg);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
h1{font-size:24px;line-height:1.25;margin:8px 0}
h2{font-size:18px;margin:28px 0 8px;padding-bottom:4px;border-bottom:1px solid var(--line)}
a{color:var(--link)}
code,pre,.quote,.value{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,
"Noto Sans Mono CJK SC",monospace}
pre{margin:6px 0;padding:8px 10px;background:var(--card);border:1px solid var(--line);
border-radius:4px;white-space:pre-wrap}
ol,ul{margin:6px 0;padding-left:24px}
li{margin:4px 0}
bdi{unicode-bidi:isolate}
.meta{color:var(--ink-2);margin:4px 0}
.verdict{display:inline-block;padding:2px 10px;border-radius:4px;font-weight:600}
.root_cause_found{color:var(--fail);background:var(--fail-bg)}
.likely{color:var(--warn);background:var(--warn-bg)}
.healthy{color:var(--pass);background:var(--pass-bg)}
.inconclusive{color:var(--info);background:var(--info-bg)}
.cite{display:inline-block;min-height:24px;padding:0 5px;margin:0 1px;border-radius:4px;
background:var(--info-bg);font-size:12px;line-height:24px;text-decoration:none;white-space:nowrap}
.cite:hover,.cite:focus{text-decoration:underline}
.note{color:var(--ink-2);font-size:13px}
.spark{letter-spacing:0;color:var(--course)}
nav{margin:8px 0}
nav a{display:inline-block;margin:0 12px 4px 0;line-height:24px}
figure{margin:16px 0;padding:10px 12px;border:1px solid var(--line);border-radius:4px;
background:var(--card);break-inside:avoid}
figcaption{margin-bottom:6px}
svg{display:block;overflow:visible}
svg text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:var(--ink-2)}
.band{fill:var(--band)}
.incident{fill:var(--incident)}
.onset{stroke:var(--onset);stroke-width:1.5;stroke-dasharray:4 4}
.center{stroke:var(--ink-2);stroke-width:1;stroke-dasharray:1 3}
.axis{stroke:var(--line)}
.course{fill:none;stroke:var(--course);stroke-width:1.75;stroke-linejoin:round;
stroke-linecap:round;vector-effect:non-scaling-stroke}
.bars{fill:var(--course)}
table{width:100%;border-collapse:collapse;font-size:13px}
th,td{padding:4px 8px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th[scope=rowgroup]{padding-top:14px;font-weight:400}
td:first-child{white-space:nowrap}
.value{min-width:8em}
.quote{min-width:14em;max-width:28em}
tr:target,tbody:target th,li:target,figure:target{background:var(--mark)}
@media (max-width:640px){body{padding:12px 14px 40px}
h1{font-size:21px}
table,tbody,tr,td,th[scope=rowgroup]{display:block;width:auto}
thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
tbody tr{padding:6px 0;border-bottom:1px solid var(--line)}
td,th{padding:1px 0;border:0}
td:empty{display:none}
td[data-label]::before{content:attr(data-label) ": ";color:var(--ink-2);
font-family:system-ui,sans-serif}
.value,.quote{min-width:0;max-width:none}}
@media print{:root{--bg:#fff;--ink:#000;--ink-2:#333;--line:#bbb;--card:#fff;--link:#000;
--pass:#1c5b29;--pass-bg:#d3f9d8;--warn:#6b4a00;--warn-bg:#fff0c2;--fail:#a01313;--fail-bg:#ffe0e0;
--info:#343a40;--info-bg:#eee;--band:rgba(73,80,87,.16);--incident:rgba(224,49,49,.12);
--onset:#e03131;--course:#3b5bdb;--mark:transparent}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{max-width:none;padding:0;font-size:11pt}
nav{display:none}
h2,tbody th{break-after:avoid}
tr,li{break-inside:avoid}
.cite{padding:0;background:none;line-height:inherit;min-height:0}
table{font-size:9pt}}
"""
