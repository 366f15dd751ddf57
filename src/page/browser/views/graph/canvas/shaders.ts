/** Texels per row of the textures that hold nodes and links. */
export const ROW = 1024;

const COMMON = `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D positions;
uniform highp sampler2D appearance;
uniform highp usampler2D ends;
uniform vec2 middle;
uniform vec2 view;
uniform float scale;
uniform float grow;
uniform float ratio;
uniform float dim;
ivec2 cell(uint node) { return ivec2(int(node) % ${ROW}, int(node) / ${ROW}); }
vec2 toView(vec2 position) { return (position - middle) * scale * ratio; }
vec4 toClip(vec2 at) { return vec4(at.x / view.x * 2.0, -at.y / view.y * 2.0, 0.0, 1.0); }
float getRadius(vec4 position) { return clamp(position.z * grow, 1.15, 64.0) * ratio; }
`;

/** A node is a point. Hidden nodes are moved out of view. `marked` nodes are drawn on top, at full strength. */
export const NODE_VERTEX = `${COMMON}
layout(location = 0) in uint node;
uniform bool marked;
out vec4 color;
out float radius;
void main() {
  vec4 position = texelFetch(positions, cell(node), 0);
  vec4 look = texelFetch(appearance, cell(node), 0);
  bool isShown = look.a > 0.05;
  radius = getRadius(position) * (marked ? 1.12 : 1.0);
  color = vec4(look.rgb, marked ? 1.0 : (look.a > 0.4 ? 1.0 : 0.22) * dim);
  gl_Position = isShown ? toClip(toView(position.xy)) : vec4(4.0, 4.0, 0.0, 1.0);
  gl_PointSize = isShown ? radius * 2.0 + 2.0 * ratio : 1.0;
}`;

/** A disc with an edge in the color of the background, so that adjacent nodes can be told apart. */
export const NODE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 color;
in float radius;
uniform vec3 paper;
uniform float ratio;
out vec4 pixel;
void main() {
  float reach = radius + ratio;
  float away = length(gl_PointCoord - 0.5) * 2.0 * reach;
  float disc = 1.0 - smoothstep(radius - 0.5, radius + 0.5, away);
  if (radius < 3.0 * ratio) { pixel = vec4(color.rgb, 1.0) * color.a * disc; return; }
  float rim = 1.0 - smoothstep(reach - 1.0, reach, away);
  vec3 mixed = mix(paper, color.rgb, disc);
  pixel = vec4(mixed, 1.0) * color.a * rim;
}`;

/**
 * A link is a thin rectangle of two triangles, or a line if \`thin\`, which is all that a software renderer can draw in time. The ends are
 * looked up by the number of the link, because instancing is ten times as slow there.
 */
export const LINK_VERTEX = `${COMMON}
uniform float width;
uniform float alpha;
uniform float fade;
uniform bool thin;
uniform bool strong;
uniform vec3 line;
out vec4 color;
out float across;
void main() {
  int number = gl_VertexID / (thin ? 2 : 6);
  int corner = thin ? (gl_VertexID % 2) * 2 : int[6](0, 1, 2, 2, 1, 3)[gl_VertexID % 6];
  uvec2 both = texelFetch(ends, ivec2(number % ${ROW}, number / ${ROW}), 0).xy;
  vec4 fromLook = texelFetch(appearance, cell(both.x), 0);
  vec4 toLook = texelFetch(appearance, cell(both.y), 0);
  float least = min(fromLook.a, toLook.a);
  vec2 a = toView(texelFetch(positions, cell(both.x), 0).xy);
  vec2 b = toView(texelFetch(positions, cell(both.y), 0).xy);
  vec2 along = b - a;
  float far = length(along);
  vec2 side = far > 0.0 ? vec2(-along.y, along.x) / far : vec2(0.0);
  float reach = thin ? 0.0 : width * 0.5 + 0.5;
  across = corner % 2 == 0 ? -reach : reach;
  vec2 at = (corner < 2 ? a : b) + side * across;
  vec3 tint = mix(line, mix(fromLook.rgb, toLook.rgb, corner < 2 ? 0.25 : 0.75), strong ? 0.75 : 0.35);
  color = vec4(tint, alpha * (strong ? 1.0 : (least > 0.4 ? 1.0 : fade) * dim));
  gl_Position = least > 0.05 ? toClip(at) : vec4(4.0, 4.0, 0.0, 1.0);
}`;

export const LINK_FRAGMENT = `#version 300 es
precision highp float;
in vec4 color;
in float across;
uniform float width;
out vec4 pixel;
void main() {
  float a = color.a * clamp(width * 0.5 + 0.5 - abs(across), 0.0, 1.0);
  pixel = vec4(color.rgb * a, a);
}`;

/** An arrowhead at the edge of the target node. */
export const ARROW_VERTEX = `${COMMON}
uniform float size;
uniform float alpha;
uniform bool strong;
uniform vec3 line;
out vec4 color;
void main() {
  int number = gl_VertexID / 3;
  int corner = gl_VertexID % 3;
  uvec2 both = texelFetch(ends, ivec2(number % ${ROW}, number / ${ROW}), 0).xy;
  vec4 from = texelFetch(positions, cell(both.x), 0);
  vec4 to = texelFetch(positions, cell(both.y), 0);
  float least = min(texelFetch(appearance, cell(both.x), 0).a, texelFetch(appearance, cell(both.y), 0).a);
  vec2 b = toView(to.xy);
  vec2 along = b - toView(from.xy);
  float far = length(along);
  vec2 toward = far > 0.0 ? along / far : vec2(0.0);
  vec2 side = vec2(-toward.y, toward.x);
  float back = getRadius(to) + ratio;
  vec2 at = b - toward * back;
  if (corner > 0) at -= toward * size - side * (corner == 1 ? size * 0.42 : -size * 0.42);
  bool isShown = least > 0.05 && far > back + size * 1.5;
  color = vec4(line, 1.0) * alpha * (strong ? 1.0 : (least > 0.4 ? 1.0 : 0.25) * dim);
  gl_Position = isShown ? toClip(at) : vec4(4.0, 4.0, 0.0, 1.0);
}`;

export const ARROW_FRAGMENT = `#version 300 es
precision highp float;
in vec4 color;
out vec4 pixel;
void main() { pixel = color; }`;

/** A back buffer, moved and scaled to the current camera. */
export const BACK_BUFFER_VERTEX = `#version 300 es
precision highp float;
uniform vec4 put;
out vec2 at;
void main() {
  vec2 corner = vec2(float(gl_VertexID % 2), float(gl_VertexID / 2)) * 2.0 - 1.0;
  at = corner * 0.5 + 0.5;
  gl_Position = vec4(corner * put.zw + put.xy, 0.0, 1.0);
}`;

export const BACK_BUFFER_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D picture;
uniform vec3 paper;
uniform float dim;
out vec4 pixel;
void main() { pixel = vec4(mix(paper, texture(picture, at).rgb, dim), 1.0); }`;
