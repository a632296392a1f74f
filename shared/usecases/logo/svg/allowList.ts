/**
 * What a logo may be drawn with (SVG 1.1 and 2): shapes, text, gradients, patterns, clips, masks and pictures. No scripts,
 * animation, links, filters, markers or foreign content, and no attribute that could run or load anything.
 */
export const allowedElements: ReadonlySet<string> = new Set(
  `svg g defs symbol use title desc style path rect circle ellipse line polyline polygon text tspan textPath image
   linearGradient radialGradient stop pattern clipPath mask`.split(/\s+/),
);

/** Containers whose content is drawn and who themselves mean nothing here. */
export const drawnAsGroup: ReadonlySet<string> = new Set(['a', 'switch']);

/** Those that draw, or take their values from, what their `href` names; on others it only leads somewhere. */
export const refersByHref: ReadonlySet<string> = new Set(
  'use image textPath linearGradient radialGradient pattern'.split(' '),
);

export const allowedAttributes: ReadonlySet<string> = new Set(
  `id class style x y x1 y1 x2 y2 dx dy rotate width height cx cy r rx ry fx fy fr d points pathLength viewBox version
   preserveAspectRatio transform gradientTransform gradientUnits patternTransform patternUnits patternContentUnits
   spreadMethod offset clipPathUnits maskUnits maskContentUnits startOffset method spacing side textLength lengthAdjust
   href type media clip-path clip-rule mask color color-interpolation display opacity overflow visibility fill
   fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
   stroke-opacity stroke-width stop-color stop-opacity paint-order shape-rendering text-rendering image-rendering
   vector-effect font-family font-size font-size-adjust font-stretch font-style font-variant font-weight
   letter-spacing word-spacing text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift
   direction writing-mode unicode-bidi mix-blend-mode isolation transform-origin`.split(/\s+/),
);

/** Functions of style sheets and presentation attributes that load nothing; `url` is looked at by itself. */
export const allowedFunctions: ReadonlySet<string> = new Set(
  `rgb rgba hsl hsla hwb lab lch oklab oklch matrix matrix3d translate translatex translatey scale scalex scaley rotate
   skew skewx skewy calc min max clamp var url not is where nth-child nth-of-type`.split(/\s+/),
);
